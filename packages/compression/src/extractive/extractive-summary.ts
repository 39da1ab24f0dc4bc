import { countOption, summary } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import type { Fact } from "../facts/fact.ts";
import { toFact } from "../facts/internal/to-fact.ts";
import { factFinder } from "../gate/internal/fact-finder.ts";
import { weighFacts } from "../gate/internal/weigh-facts.ts";
import { checkedTextCounter } from "../internal/checked-counter.ts";
import { composeParts } from "../parts/compose-parts.ts";

/** How long an extractive summary may be, and what it may know. */
export interface ExtractiveSummaryOptions {
  /** The cap on the text in tokens of `counter`; from 0, `Infinity` for no cap. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  /** What stays beside the summary and is known now: what it mentions is wanted. Default none. */
  readonly later?: readonly HistoryEntry[] | undefined;
  /** The text of an earlier summary, to be extended. Default none. */
  readonly previous?: string | undefined;
}

/** A summary made of parts: what users said, ledgers, records, sentences, names. */
export interface ExtractiveSummary {
  /** Empty where there was nothing to say, or no room. */
  readonly text: string;
  /** The facts that stand in the text. */
  readonly kept: readonly Fact[];
  /** The facts that found no room. */
  readonly dropped: readonly Fact[];
}

/**
 * Summarizes without a model, under a cap, in parts: what users said, word for word; what is open; the files that were changed
 * and read, with their last state; commands with their outcome; errors that still stand; records, each with its fields on one line; sentences of
 * agents; names by file. Deterministic; near-linear.
 *
 * The beginning of each user message and the files of calls come first; the rest is chosen by the facts that it adds for its
 * tokens. Line numbers and keys of calls are no facts. Of an earlier summary the parts stay as they are, up to half of the
 * cap. What is quoted is data: nothing in it begins a line or closes a frame (L14).
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxTokens` is not a non-negative integer or `Infinity`, `COUNTER_FAILED`.
 * @example
 * ```ts
 * import { action, observation, userMessage } from "@agent-history/core";
 * import { extractiveSummary } from "@agent-history/compression";
 *
 * const { text } = extractiveSummary(
 *   [
 *     userMessage({ content: "Please cancel the order A1772." }),
 *     action({ toolCalls: [{ id: "1", name: "find", arguments: '{"order":"A1772"}' }] }),
 *     observation({ callId: "1", toolName: "find", outcome: "success", content: '{"total": 120, "due": "2026-05-02"}' }),
 *   ],
 *   { maxTokens: 60, counter: { countText: (words) => words.split(/\s+/).length } },
 * );
 * text.split("\n");
 * // => ["User: Please cancel the order A1772.", "The order A1772 has total 120, due 2026-05-02."]
 * ```
 */
export function extractiveSummary(
  entries: readonly HistoryEntry[],
  options: ExtractiveSummaryOptions,
): ExtractiveSummary {
  const { later = [], previous = "" } = options;
  const counter = checkedTextCounter(options.counter);
  const maxTokens = countOption("maxTokens", options.maxTokens);
  const earlier = previous === "" ? [] : [earlierEntry(previous)];
  const covered = [...earlier, ...entries];
  const facts = weighFacts(covered, later);
  const text = composeParts({ entries, facts, previous, maxTokens, counter });
  const { has } = factFinder(text);
  const factOf = toFact(covered);
  return {
    text,
    kept: facts.filter(has).map(factOf),
    dropped: facts.filter((fact) => !has(fact)).map(factOf),
  };
}

function earlierEntry(content: string): HistoryEntry {
  const sources = { newId: () => "", now: () => 0 };
  return summary({ content, strategy: "extractive", trust: "user" }, sources);
}
