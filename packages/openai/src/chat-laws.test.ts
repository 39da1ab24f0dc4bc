import { isHistoryError, isRendered, repairHistory } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { isResultMedia } from "@agent-history/core/kit";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryEntry, arbitraryHistory, deepFreeze, lawRuns } from "@agent-history/testkit";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { tiktokenCounter } from "@agent-history/tokens";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryChat, arbitrarySoundChat } from "../test-messages/chat/arbitrary-chat.ts";
import { chatProblems } from "../test-messages/chat/chat-problems.ts";
import { chatPage } from "../test-messages/chat/pages/chat-page.ts";
import { chatStrangePage } from "../test-messages/chat/pages/chat-strange-page.ts";
import type { ChatMessageLike } from "./chat-message.ts";
import { fromChatMessages } from "./chat-messages.ts";
import { toChatMessages } from "./chat-messages.ts";

const RUNS = { numRuns: lawRuns(300) };
/** A chat tells less of images and files than an entry does (no width, no kind): they count the same, and more than any line. */
const textCounter = tiktokenCounter({
  encoding: "o200k_base",
  imageTokens: () => 5000,
  fileTokens: () => 5000,
});
const counter = tiktokenCounter({ encoding: "o200k_base" });

describeMessageFormat(
  "fromChatMessages and toChatMessages",
  {
    read: (messages, options) => fromChatMessages(asChat(messages), options),
    write: toChatMessages,
    userMessage: (content) => ({ role: "user", content }),
    knownMessages: chatPage,
    strangeMessages: chatStrangePage,
    problems: chatProblems,
  },
  { runs: 300 },
);

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

  it("write nothing that costs more than its entry was counted, images of results included", () => {
    // Alone, a result would not find the name of its tool; what no model is shown becomes no message.
    const others = fc.array(
      arbitraryEntry().filter((entry) => entry.type !== "observation" && isRendered(entry)),
    );
    fc.assert(
      fc.property(arbitraryHistory({ running: false }), others, (history, single) => {
        const { entries: sound } = repairHistory(history);
        const entries = [...sound, ...single].map(withoutChatOrigin);
        const written = fromChatMessages(toChatMessages(entries));
        const again = written.filter(({ content }) => !isResultMedia(content));

        for (const [index, entry] of entries.entries()) {
          const read = again[index];
          const tokens = read === undefined ? Infinity : textCounter.countEntry(read);
          expect(tokens).toBeLessThanOrEqual(textCounter.countEntry(entry));
        }
        expect(tokensOf(written)).toBeLessThanOrEqual(tokensOf(entries));
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

function tokensOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + textCounter.countEntry(entry), 0);
}

function addTokens(sum: number, entry: HistoryEntry): number {
  return sum + counter.countEntry(entry);
}

/** What was damaged may be no message any more. */
function asChat(messages: readonly object[]): readonly ChatMessageLike[] {
  return messages as readonly ChatMessageLike[];
}
