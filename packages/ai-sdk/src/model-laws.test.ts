import { isHistoryError, repairHistory } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { tiktokenCounter } from "@agent-history/tokens";
import { generateText } from "ai";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arbitraryBrokenMessages,
  arbitrarySoundMessages,
} from "../test-support/arbitrary-messages.ts";
import { messageTokens } from "../test-support/message-tokens.ts";
import { modelPage } from "../test-support/pages/model-page.ts";
import { modelStrangePage } from "../test-support/pages/model-strange-page.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const RUNS = { numRuns: lawRuns(300) };
const counter = tiktokenCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});

describeMessageFormat(
  "fromModelMessages and toModelMessages",
  {
    read: (messages, options) => fromModelMessages(messages as readonly ModelMessage[], options),
    write: toModelMessages,
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: modelPage,
    strangeMessages: modelStrangePage,
    problems: refusals,
  },
  { runs: 300 },
);

describe("fromModelMessages and toModelMessages", () => {
  it("lose nothing of conversations, sound or broken", () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundMessages, arbitraryBrokenMessages), (messages) => {
        expect(toModelMessages(fromModelMessages(messages))).toStrictEqual(messages);
      }),
      RUNS,
    );
  });

  it("make messages that generateText and its provider take of what core repaired, whatever was lost", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBrokenMessages, async (messages) => {
        const { entries } = repairHistory(fromModelMessages(messages));

        await sendThrough(toModelMessages(entries));
      }),
      RUNS,
    );
  });

  it("make messages that generateText and its provider take, and that fit, of what a reducer left", async () => {
    let reduced = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(arbitrarySoundMessages, arbitraryBrokenMessages),
        fc.integer({ min: 20, max: 900 }),
        async (messages, contextTokens) => {
          const entries = fromModelMessages(messages);
          const fitted = fit(entries, contextTokens);
          if (fitted === undefined) return;
          if (fitted !== entries) reduced += 1;
          const left = toModelMessages(fitted);

          expect(3 + costOf(left)).toBeLessThanOrEqual(contextTokens);
          await sendThrough(left);
        },
      ),
      RUNS,
    );
    expect(reduced).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it("write no messages that cost more than their entry was counted", () => {
    const others = fc.array(arbitraryEntry());
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), others, (history, single) => {
        for (const entry of [...repairHistory(history).entries, ...single]) {
          const breaks = joinsIn(entry);
          expect(costOf(toModelMessages([entry]))).toBeLessThanOrEqual(
            counter.countEntry(entry) + breaks,
          );
        }
      }),
      RUNS,
    );
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundMessages, arbitraryBrokenMessages), (messages) => {
        const counted = fromModelMessages(messages).map((entry) => counter.countEntry(entry));

        expect(costOf(messages)).toBeLessThanOrEqual(counted.reduce((sum, one) => sum + one, 0));
      }),
      RUNS,
    );
  });
});

async function refusals(messages: readonly object[]): Promise<readonly string[]> {
  try {
    await sendThrough(messages as readonly ModelMessage[]);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Sends messages through the AI SDK to a model that refuses what providers refuse. */
async function sendThrough(messages: readonly ModelMessage[]): Promise<void> {
  const ended: ModelMessage[] = [...messages, { role: "user", content: "And now?" }];
  const { text } = await generateText({
    model: strictModel(),
    messages: ended,
    allowSystemInMessages: true,
    maxRetries: 0,
  });
  expect(text).toBe("Done.");
}

function fit(
  entries: readonly HistoryEntry[],
  contextTokens: number,
): readonly HistoryEntry[] | undefined {
  try {
    return fitToWindow(entries, { window: { contextTokens }, counter }).entries;
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

function costOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** Where only one text may stand, several are joined by line breaks: the one thing that is not counted. */
function joinsIn(entry: HistoryEntry): number {
  const content = entry.content ?? "";
  return typeof content === "string" ? 0 : 2 * content.length + 2;
}
