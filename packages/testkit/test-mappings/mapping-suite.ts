import { checkHistory } from "@agent-history/core";
import type { EntrySources, HistoryEntry } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { deepFreeze } from "../src/deep-freeze.ts";
import { arbitraryDamagedMessages } from "./arbitrary-damaged-messages.ts";
import { arbitraryOpenAIChat } from "./arbitrary-openai-chat.ts";
import { countedSources } from "./internal/counted-sources.ts";
import { packBinary, unpackBinary } from "./internal/pack-binary.ts";
import { missingTexts, repeatedTexts } from "./internal/repeated-texts.ts";
import { whatIsSaid } from "./internal/what-is-said.ts";
import { openAIChatToEntries } from "./openai-chat-to-entries.ts";
import { RECORDED_CHATS, recordedConversations, recordedFolder } from "./recorded-conversations.ts";

/** A format under test. */
export interface Mapping {
  readonly toEntries: (
    messages: readonly object[],
    sources?: EntrySources,
  ) => readonly HistoryEntry[];
  readonly toMessages: (entries: readonly HistoryEntry[]) => readonly object[];
  /** Every kind of message that the SDK has. */
  readonly page: readonly object[];
  /** What the SDK does not allow. */
  readonly strangePage: readonly object[];
  /** Gives messages of this format that say the same as an OpenAI chat. */
  readonly fromOpenAIChat: (messages: readonly object[]) => readonly object[];
}

/** Holds a mapping to what every mapping promises: there and back loses nothing, and nothing is said twice. */
export function mappingSuite(mapping: Mapping): void {
  const { toEntries, toMessages, page, strangePage, fromOpenAIChat } = mapping;
  const pages = [
    ["every kind of message of the SDK", page],
    ["what the SDK does not allow", strangePage],
  ] as const;

  it.each(pages)("loses nothing of %s", (_, messages) => {
    const packed = messages.map(packBinary);
    const entries = toEntries(messages, countedSources());

    expect(toMessages(deepFreeze(entries))).toStrictEqual(messages);
    expect(missingTexts(packed, entries)).toEqual([]);
    expect(messages.map(packBinary)).toEqual(packed);
  });

  it.each(pages)("loses nothing of %s, message by message", (_, messages) => {
    for (const message of messages) {
      expect(toMessages(toEntries([message]))).toStrictEqual([message]);
    }
  });

  it.each(pages)("says no text twice: %s", (_, messages) => {
    const entries = toEntries(messages, countedSources());

    expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
  });

  it.each(pages)("makes entries that can be stored: %s", (_, messages) => {
    const entries = toEntries(messages, countedSources());
    const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

    expect(stored.map(parseEntry)).toStrictEqual(entries);
    expect(toMessages(stored)).toStrictEqual(messages);
  });

  it("loses nothing of damaged messages, and says nothing twice", () => {
    const whole = [...page, ...strangePage].map(packBinary);
    fc.assert(
      fc.property(arbitraryDamagedMessages(whole), (packed) => {
        const messages = packed.map(unpackBinary);
        const entries = toEntries(messages, countedSources());

        expect(toMessages(entries)).toEqual(messages);
        expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
        expect(entries.map(parseEntry)).toEqual(entries);
      }),
      { numRuns: 2000 },
    );
  });

  it("loses nothing of any generated chat, and lets each entry be stored", () => {
    fc.assert(
      fc.property(arbitraryOpenAIChat, (chat) => {
        const messages = fromOpenAIChat(chat);
        const entries = toEntries(deepFreeze(messages), countedSources());

        expect(toMessages(deepFreeze(entries))).toStrictEqual(messages);
        expect(entries.map(parseEntry)).toStrictEqual(entries);
      }),
      { numRuns: 1000 },
    );
  });

  describe.skipIf(recordedFolder === undefined)(
    "recorded chats (set AGENT_HISTORY_DATA to the folder that holds them)",
    () => {
      it.each(RECORDED_CHATS)("loses nothing of %s", (file) => {
        const conversations = recordedConversations(file);

        expect(conversations.length).toBeGreaterThan(10);
        for (const chat of conversations) {
          const messages = fromOpenAIChat(chat);
          const entries = toEntries(messages, countedSources());
          expect(toMessages(entries)).toStrictEqual(messages);
          expect(missingTexts(chat, entries)).toEqual([]);
          expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
          expect(entries.map(parseEntry)).toStrictEqual(entries);
        }
      });

      it.each(RECORDED_CHATS)("pairs each call of %s, and says the same as the chat", (file) => {
        for (const chat of recordedConversations(file)) {
          const entries = toEntries(fromOpenAIChat(chat), countedSources());
          expect(checkHistory(entries)).toEqual([]);
          expect(whatIsSaid(entries)).toEqual(whatIsSaid(openAIChatToEntries(chat)));
        }
      });
    },
  );
}
