import { readFileSync } from "node:fs";

import { checkHistory, isHistoryError, mendHistory } from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, deepFreeze } from "@agent-history/testkit";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { generateText } from "ai";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryDamagedMessages } from "../test-support/arbitrary-damaged-messages.ts";
import {
  arbitraryBrokenMessages,
  arbitrarySoundMessages,
} from "../test-support/arbitrary-messages.ts";
import { chatToMessages } from "../test-support/chat-to-messages.ts";
import { messageTokens } from "../test-support/message-tokens.ts";
import { modelPage } from "../test-support/pages/model-page.ts";
import { modelStrangePage } from "../test-support/pages/model-strange-page.ts";
import { repeatedTexts } from "../test-support/repeated-texts.ts";
import { strictModel } from "../test-support/strict-model.ts";
import { fromModelMessages } from "./from-model-messages.ts";
import { toModelMessages } from "./to-model-messages.ts";

const RUNS = { numRuns: Number(process.env["AI_SDK_RUNS"] ?? 1000) };
const counter = gptTokenizerCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});
const now = (): number => 0;

describe("fromModelMessages and toModelMessages", () => {
  const whole = [...modelPage, ...modelStrangePage].map(packBinary);

  it("lose nothing of any messages, unknown fields and kinds included, and say nothing twice", () => {
    fc.assert(
      fc.property(arbitraryDamagedMessages(whole), (packed) => {
        const messages = deepFreeze(packed).map(asMessage);
        const entries = fromModelMessages(messages, { now });

        expect(toModelMessages(deepFreeze(entries))).toEqual(messages);
        expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("give entries that can be stored", () => {
    fc.assert(
      fc.property(arbitraryDamagedMessages(whole), (packed) => {
        const messages = packed.map(asMessage);
        const stored: readonly HistoryEntry[] = JSON.parse(
          JSON.stringify(fromModelMessages(messages)),
        );

        expect(toModelMessages(stored.map(parseEntry))).toEqual(messages);
      }),
      RUNS,
    );
  });

  it("lose nothing of conversations, sound or broken", () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySoundMessages, arbitraryBrokenMessages), (messages) => {
        expect(toModelMessages(fromModelMessages(messages))).toStrictEqual(messages);
      }),
      RUNS,
    );
  });

  it("give the entries of the messages before again, when the conversation has grown", () => {
    fc.assert(
      fc.property(arbitrarySoundMessages, fc.nat(), (drawn, cut) => {
        // No object stands there twice.
        const messages = drawn.map((message) => ({ ...message }));
        const until = cut % (messages.length + 1);
        const before = fromModelMessages(messages.slice(0, until));
        const all = fromModelMessages(messages).slice(0, before.length);

        for (const [index, entry] of all.entries()) expect(entry).toBe(before[index]);
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
        const copied = fromModelMessages(messages.map((one) => ({ ...one }))).map(({ id }) => id);
        expect(copied.slice(0, until === 0 ? 0 : before.length)).toEqual(all.map(({ id }) => id));
      }),
      RUNS,
    );
  });

  it("make messages that generateText and its provider take of every sound history", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory({ running: false }),
        fc.constantFrom("", "a", "b"),
        async (history, agentId) => {
          const { entries } = mendHistory(history);
          fc.pre(checkHistory(entries).every(({ law }) => law !== "L1"));

          await sendThrough(toModelMessages(deepFreeze(entries), { agentId }));
        },
      ),
      RUNS,
    );
  });

  it("make messages that generateText and its provider take of what core mended, whatever was lost", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBrokenMessages, async (messages) => {
        const { entries } = mendHistory(fromModelMessages(messages));

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
        for (const entry of [...mendHistory(history).entries, ...single]) {
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

const folder = process.env["AGENT_HISTORY_DATA"];
const files = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];

describe.skipIf(folder === undefined)(
  "recorded chats as messages (set AGENT_HISTORY_DATA to the folder that holds them)",
  () => {
    it.each(files)(
      "lose nothing of %s, pair each call, and go through generateText",
      async (file) => {
        const lines = readFileSync(`${folder}/${file}`, "utf8").split("\n").filter(Boolean);

        expect(lines.length).toBeGreaterThan(10);
        for (const line of lines) {
          const messages = chatToMessages(JSON.parse(line).messages);
          const entries = fromModelMessages(messages);
          expect(toModelMessages(entries)).toStrictEqual(messages);
          expect(checkHistory(entries)).toEqual([]);
          await sendThrough(messages);
          for (const contextTokens of [1000, 4000]) {
            const fitted = fit(entries, contextTokens);
            if (fitted !== undefined) await sendThrough(toModelMessages(fitted));
          }
        }
      },
    );
  },
);

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

/** What the damage left may be no message any more. */
function asMessage(packed: JsonObject): ModelMessage {
  return unpackBinary(packed) as ModelMessage;
}
