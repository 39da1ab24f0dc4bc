import { countOption } from "@agent-history/core";
import type { HistoryEntry, SummaryPart, TokenCounter } from "@agent-history/core";

import { checkedTextCounter } from "./internal/checked.ts";
import { mergeParts } from "./record/merge-parts.ts";
import { readRecord } from "./record/read-record.ts";
import { writeParts } from "./record/write-record.ts";

/** Options of an extractive summary. */
export interface ExtractiveSummaryOptions {
  /** The cap on the text in tokens of `counter`; from 0, `Infinity` for no cap. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  /** The parts of an earlier summary that is continued. Default none. */
  readonly previous?: readonly SummaryPart[] | undefined;
}

/** A summary as text and as data. */
export interface ExtractiveSummary {
  /** Empty if there was nothing to say, or no room. */
  readonly text: string;
  /** All parts. Pass them as `previous` to the next call. */
  readonly parts: readonly SummaryPart[];
  /** The parts that did not fit into the text. */
  readonly dropped: readonly SummaryPart[];
}

/**
 * Summarizes without a model: reads the parts of the entries, merges them into those of an earlier summary, and writes as many as fit
 * under a cap. Deterministic; works in any language, by form, place and repetition.
 *
 * Quotes are data: they cannot begin a line, carry a speaker's label or close a frame (L14).
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxTokens` is not a non-negative integer or `Infinity`, `COUNTER_FAILED`.
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { extractiveSummary } from "@agent-history/compression";
 *
 * const counter = { countText: (words: string) => words.split(/\s+/).length };
 * const { text, parts } = extractiveSummary([userMessage({ content: "Please cancel the order A1772." })], { maxTokens: 60, counter });
 * text.split("\n");
 * // => ["## Task","- Please cancel the order A1772.","## At the end","The user's last message is not answered yet."]
 *
 * const next = extractiveSummary([assistantMessage({ content: "It is cancelled." })], { maxTokens: 60, counter, previous: parts });
 * next.text.includes("Last words: It is cancelled.");
 * // => true
 * ```
 */
export function extractiveSummary(
  entries: readonly HistoryEntry[],
  options: ExtractiveSummaryOptions,
): ExtractiveSummary {
  const { previous = [] } = options;
  const counter = checkedTextCounter(options.counter);
  const maxTokens = countOption("maxTokens", options.maxTokens);
  const parts = mergeParts(previous, readRecord(entries, { previous }));
  return { parts, ...writeParts(parts, { maxTokens, counter }) };
}
