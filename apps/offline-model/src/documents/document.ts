/** One text file of a folder. */
export interface Document {
  /** Relative to the folder, with `/` between its parts. */
  readonly path: string;
  /** Without line ends. Line 1 is at index 0. */
  readonly lines: readonly string[];
}

/** What a file is, as far as its name tells. */
export type FileKind = "prose" | "code" | "data";
