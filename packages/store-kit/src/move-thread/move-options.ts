/** What an export or an import is given besides. */
export interface MoveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each page that was read or written. */
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
}

/** How far an export or an import has come. */
export interface MoveProgress {
  /** Threads begun: the thread and its forks. */
  readonly threads: number;
  /** Entries read or written, those that forks share counted once. */
  readonly entries: number;
}
