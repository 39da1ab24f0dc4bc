import type { TranscriptItem } from "./transcript-item.ts";

/** Reads a transcript line by line. It holds one message at a time, and the ids of the others. */
export interface TranscriptReader {
  /** Reads the next line, without its line break, and returns what became complete by it. */
  readonly read: (line: string) => readonly TranscriptItem[];
  /** Returns what is left when no line follows. */
  readonly end: () => readonly TranscriptItem[];
}

export interface TranscriptReaderOptions {
  /** Whether to build entries; calls, turns and compactions alone are several times as fast. Default `true`. */
  readonly entries?: boolean;
}
