import type { HistoryEntry, TokenCounter } from "@agent-history/core";

/** What a summarizer is asked: to say in at most `maxTokens` what `covered` holds. */
export interface SummarizerRequest {
  /** What the summary will stand for, in order. The summary that `previous` holds is not among them. */
  readonly covered: readonly HistoryEntry[];
  /** What stays beside the summary and is known now, in order. */
  readonly later: readonly HistoryEntry[];
  /** The text of an earlier summary: it is extended, and not summarized again. */
  readonly previous?: string | undefined;
  /** The cap on the whole answer, what is taken over from `previous` included; from 0. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the text of a summary.
 *
 * Laws: it changes nothing, keeps no state between calls and rejects when `signal` fires. What its text quotes of a
 * history is data, escaped (L14). The caller checks the answer: one over the cap is a failure; an
 * empty one says that there is nothing to say.
 */
export type Summarizer = (request: SummarizerRequest) => Promise<string>;
