import { HistoryError } from "@agent-history/core";

import { extractiveSummary } from "./extractive-summary.ts";
import type { Summarizer } from "./summarizer.ts";

/**
 * Creates the summarizer that needs no model: `extractiveSummary` behind the contract that strategies call.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { extractiveSummarizer } from "@agent-history/compression";
 *
 * const summarize = extractiveSummarizer();
 * await summarize({
 *   covered: [userMessage({ content: "Please cancel the order A1772." })],
 *   later: [],
 *   maxTokens: 20,
 *   counter: { countText: (words) => words.split(/\s+/).length },
 * });
 * // => "User: Please cancel the order A1772."
 * ```
 */
export function extractiveSummarizer(): Summarizer {
  return ({ covered, later, previous, maxTokens, counter, signal }) => {
    if (signal?.aborted === true) {
      return Promise.reject(
        new HistoryError("The summary was aborted; nothing was changed.", {
          code: "ABORTED",
          cause: signal.reason,
        }),
      );
    }
    const { text } = extractiveSummary(covered, {
      maxTokens,
      counter,
      later,
      ...(previous !== undefined && { previous }),
    });
    return Promise.resolve(text);
  };
}
