/** A stored row that is not an entry of this release. */
export interface StoredEntryProblem {
  /** Position in the log, from 0. */
  readonly position: number;
  readonly entryId?: string;
  /** Where in the row, for example `toolCalls.0.id`. */
  readonly path?: string;
  /** `newer`: written by a later release, kept and not shown. `broken`: cannot be read. */
  readonly kind: "newer" | "broken";
  /** A sentence without content. */
  readonly reason: string;
}
