import { countOption } from "@agent-history/core";
import { describe } from "vitest";

import { lawRuns } from "../law-runs.ts";
import type { FormatUnderTest, FormatSuiteOptions } from "./format-under-test.ts";
import { describeIds, describeMemory } from "./internal/describe-ids.ts";
import {
  describeConversations,
  describeDamage,
  describeSamples,
  describeStrange,
} from "./internal/describe-messages.ts";

/**
 * Declares the tests that every message format passes, for vitest: a round trip loses nothing and says nothing twice, entries can be
 * stored, ids repeat, and what the provider is sent it takes. None can be left out.
 *
 * @param name - What the format is called in the report.
 * @throws `HistoryError` with code `INVALID_OPTION` if `runs` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts no-run
 * import { fromChatMessages, toChatMessages } from "@agent-history/openai";
 * import type { ChatMessageLike } from "@agent-history/openai";
 * import { describeMessageFormat } from "@agent-history/testkit/format";
 *
 * describeMessageFormat("chat messages", {
 *   read: (messages, options) => fromChatMessages(messages as readonly ChatMessageLike[], options),
 *   write: toChatMessages,
 *   userMessage: (content) => ({ role: "user", content }),
 *   knownMessages: [{ role: "user", content: "To Rome, please." }],
 *   strangeMessages: [{ role: "critic", content: "A role of tomorrow." }],
 * });
 * ```
 */
export function describeMessageFormat(
  name: string,
  format: FormatUnderTest,
  { runs: asked = 100 }: FormatSuiteOptions = {},
): void {
  const runs = lawRuns(countOption("runs", asked));
  // It ends what hangs, and says nothing about how fast a machine is.
  describe(`${name} as a message format`, { timeout: 1_800_000 }, () => {
    describeSamples(format);
    describeDamage(format, runs);
    describeIds(format, runs);
    describeMemory(format, runs);
    describeStrange(format, runs);
    describeConversations(format, runs);
  });
}
