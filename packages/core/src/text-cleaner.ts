import type { HistoryEntry } from "./history-entry.ts";

/** A half-open range of a text in UTF-16 code units: from `start` up to, not including, `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Where a text stands. */
export interface TextSource {
  /** The entry as it was before any cleaning. */
  readonly entry: HistoryEntry;
  /** Which part of the content it is, from 0; missing where the content is plain text. */
  readonly partIndex?: number;
}

/**
 * Finds what post-processing added to an answer and the model did not write.
 *
 * Laws: it names spans and never rewrites, so that what was cut can be proven; spans lie within the text, in order and
 * without overlap; its work is linear in the length of the text (L13); same text and source, same spans (L8).
 */
export interface TextCleaner {
  readonly name: string;
  /** Returns the spans to cut from one text, none where there is nothing. */
  findSpans(text: string, source?: TextSource): readonly TextSpan[];
}

/** A {@link TextCleaner} that may have to wait for its answer. Every `TextCleaner` is one. */
export interface AsyncTextCleaner {
  readonly name: string;
  findSpans(
    text: string,
    source?: TextSource,
    signal?: AbortSignal,
  ): readonly TextSpan[] | Promise<readonly TextSpan[]>;
}
