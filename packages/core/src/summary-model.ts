/** A request to a model that summarizes: its own instructions, the history as escaped data, no tools. */
export interface SummaryRequest {
  readonly instructions: string;
  /** One user message. What it quotes of a history is data (L14). */
  readonly prompt: string;
  /** The cap on the answer, in tokens. */
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

/**
 * Answers a summary request with text.
 *
 * Laws: it keeps no state between calls, calls no tools, and rejects when `signal` fires. An empty answer, a refusal or
 * an answer over the cap is a failure, which the caller detects.
 */
export type SummaryModel = (request: SummaryRequest) => Promise<string>;
