import type { HistoryEntry } from "@agent-history/core";

/** A half-open range of a text in UTF-16 code units: from `start` up to, not including, `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The origin of a text. */
export interface TextSource {
  /** The entry before any cleaning. */
  readonly entry: HistoryEntry;
  /** Index of the content part, from 0; missing if the content is plain text. */
  readonly partIndex?: number;
}

/**
 * Finds text that post-processing added to an answer.
 *
 * Laws: it returns spans and never rewrites, so that every cut can be verified; spans lie within the text, in order and
 * without overlap; its work is linear in the length of the text (L13); same text and source, same spans (L8).
 */
export interface TextCleaner {
  readonly name: string;
  /** Returns the spans to cut from one text. */
  findSpans(
    text: string,
    source?: TextSource,
    signal?: AbortSignal,
  ): readonly TextSpan[] | Promise<readonly TextSpan[]>;
}
