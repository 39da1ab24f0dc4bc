import type { TextSpan } from "@agent-history/core";

/** The cleaned text, with a record of each cut. */
export interface CleanedText {
  readonly text: string;
  /** In the order of the text and without overlap: the original without these spans is `text`. */
  readonly cuts: readonly TextCut[];
  readonly failures: readonly CleaningFailure[];
}

/** A cleaner and the text it worked on. */
export interface CleaningLocation {
  /** The name of the cleaner. */
  readonly cleaner: string;
  /** The entry that has the text; missing for a bare text. */
  readonly entryId?: string;
  /** Which part of the entry's content it is, from 0; missing where the content is plain text. */
  readonly partIndex?: number;
}

/** One cut, by UTF-16 offsets into the original text. */
export interface TextCut extends CleaningLocation, TextSpan {}

/** A cleaner that failed. The next cleaner got the text unchanged. */
export interface CleaningFailure extends CleaningLocation {
  /** What the cleaner threw; a `HistoryError` with code `CLEANER_FAILED` where it did anything but cut. */
  readonly error: unknown;
}
