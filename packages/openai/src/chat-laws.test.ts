import { readFileSync } from "node:fs";

import { checkHistory, isHistoryError, mendHistory } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, deepFreeze } from "@agent-history/testkit";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryChat, arbitrarySoundChat } from "../test-chats/arbitrary-chat.ts";
import { chatProblems } from "../test-chats/chat-problems.ts";
import type { ChatMessageLike } from "./chat-message.ts";
import { fromChatMessages } from "./from-chat-messages.ts";
import { toChatMessages } from "./to-chat-messages.ts";

const RUNS = { numRuns: 2000 };
/** A chat tells less of images and files than an entry does (no width, no kind): they count the same, and more than any line. */
const textCounter = gptTokenizerCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});
const counter = gptTokenizerCounter({ encoding: "o200k_base" });

describe("fromChatMessages and toChatMessages", () => {
  it("lose nothing of any conversation, unknown fields and kinds included", () => {
    fc.assert(
      fc.property(arbitraryChat, (messages) => {
        const entries = fromChatMessages(deepFreeze(messages), { now: () => 0 });

        expect(toChatMessages(deepFreeze(entries))).toStrictEqual(messages);
        expect(new Set(entries.map(({ id }) => id)).size).toBe(messages.length);
      }),
      RUNS,
    );
  });

  it("give entries that can be stored", () => {
    fc.assert(
      fc.property(arbitraryChat, (messages) => {
        const entries = fromChatMessages(messages);
        const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

        expect(toChatMessages(stored)).toStrictEqual(messages);
      }),
      RUNS,
    );
  });

  it("give the entries of the messages before again, when the conversation has grown", () => {
    fc.assert(
      fc.property(arbitraryChat, fc.nat(), (messages, cut) => {
        const until = cut % (messages.length + 1);
        const before = fromChatMessages(messages.slice(0, until));
        const all = fromChatMessages(structuredClone(messages));

        expect(all.slice(0, until).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
        const again = fromChatMessages(messages).slice(0, until);
        for (const [index, entry] of again.entries()) expect(entry).toBe(before[index]);
      }),
      RUNS,
    );
  });

  it("make a chat that OpenAI takes of every sound history", () => {
    fc.assert(
      fc.property(
        arbitraryHistory({ running: false }),
        fc.constantFrom("", "a", "b"),
        (given, id) => {
          const { entries } = mendHistory(given.map(withoutChatOrigin));
          fc.pre(checkHistory(entries).every(({ law }) => law !== "L1"));

          expect(chatProblems(toChatMessages(deepFreeze(entries), { agentId: id }))).toEqual([]);
        },
      ),
      RUNS,
    );
  });

  it("write no message that costs more than its entry was counted", () => {
    // Alone, a result would not find the name of its tool.
    const others = fc.array(arbitraryEntry().filter(({ type }) => type !== "observation"));
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), others, (history, single) => {
        const { entries: sound } = mendHistory(history);
        const entries = [...sound, ...single].map(withoutChatOrigin);
        const again = fromChatMessages(toChatMessages(entries));

        for (const [index, entry] of entries.entries()) {
          const read = again[index];
          const tokens = read === undefined ? Infinity : textCounter.countEntry(read);
          expect(tokens).toBeLessThanOrEqual(textCounter.countEntry(entry));
        }
      }),
      RUNS,
    );
  });

  it("make a chat that OpenAI takes, and that fits, of what a reducer left", () => {
    let reduced = 0;
    fc.assert(
      fc.property(arbitrarySoundChat, fc.integer({ min: 20, max: 600 }), (messages, tokens) => {
        const entries = fromChatMessages(messages);
        const fitted = fit(entries, tokens);
        if (fitted === undefined) return;
        if (fitted !== entries) reduced += 1;
        const chat = toChatMessages(fitted);

        expect(chatProblems(chat)).toEqual([]);
        expect(3 + fromChatMessages(chat).reduce(addTokens, 0)).toBeLessThanOrEqual(tokens);
      }),
      RUNS,
    );
    expect(reduced).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

const folder = process.env["AGENT_HISTORY_DATA"];
const files = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];

describe.skipIf(folder === undefined)(
  "recorded chats (set AGENT_HISTORY_DATA to the folder that holds them)",
  () => {
    it.each(files)("lose nothing of %s, and pair each call", (file) => {
      const lines = readFileSync(`${folder}/${file}`, "utf8").split("\n").filter(Boolean);

      expect(lines.length).toBeGreaterThan(10);
      for (const line of lines) {
        const { messages }: { messages: ChatMessageLike[] } = JSON.parse(line);
        const entries = fromChatMessages(messages);
        expect(toChatMessages(entries)).toStrictEqual(messages);
        expect(checkHistory(entries)).toEqual([]);
        expect(chatProblems(toChatMessages(entries))).toEqual([]);
      }
    });
  },
);

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

/** Generated entries say that they came from a chat, with contents that no chat has. */
function withoutChatOrigin(entry: HistoryEntry): HistoryEntry {
  const isOfChat = entry.origin?.format === "openai-chat" && entry.type !== "task";
  const { origin: _, ...native } = entry;
  return isOfChat ? native : entry;
}

function addTokens(sum: number, entry: HistoryEntry): number {
  return sum + counter.countEntry(entry);
}
