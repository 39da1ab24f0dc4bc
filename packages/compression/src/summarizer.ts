import type { HistoryEntry, SummaryPart, TokenCounter } from "@agent-history/core";

import { writeParts } from "./record/write-parts.ts";

/** What a summarizer is asked: to say in at most `maxTokens` what `covered` and the earlier summary hold. */
export interface SummarizerRequest {
  /** The new entries that the summary will stand for, in order. */
  readonly covered: readonly HistoryEntry[];
  /** The record of all that the summary will stand for: the parts of earlier summaries and those of `covered`, merged. */
  readonly parts: readonly SummaryPart[];
  /** The text of an earlier summary: it is extended, and not summarized again. */
  readonly previous?: string | undefined;
  /** The cap on the whole answer; from 0. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the text of a summary.
 *
 * Laws: it changes nothing, keeps no state between calls and rejects when `signal` fires. What its text quotes of a
 * history is data, escaped (L14). The caller checks the answer: one that is empty or over the cap is a failure.
 */
export type Summarizer = (request: SummarizerRequest) => Promise<string>;

/**
 * Creates the summarizer that needs no model, for the option `fallback` or as a part of one of your own.
 *
 * @example
 * ```ts
 * import { extractiveSummarizer } from "@agent-history/compression";
 *
 * const summarize = extractiveSummarizer();
 * await summarize({
 *   covered: [],
 *   parts: [{ kind: "rule", key: "1", text: "Never push to main.", at: 0 }],
 *   maxTokens: 40,
 *   counter: { countText: (words) => words.split(/\s+/).length },
 * });
 * // => "## Instructions\n- Never push to main."
 * ```
 */
export function extractiveSummarizer(): Summarizer {
  return async ({ parts, maxTokens, counter }) => writeParts(parts, { maxTokens, counter }).text;
}
