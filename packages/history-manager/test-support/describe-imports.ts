import { fromModelMessages, fromUIMessages } from "@agent-history/ai-sdk";
import { pairCalls } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { fromChatMessages, fromResponseItems, toChatMessages } from "@agent-history/openai";
import type { ChatMessage } from "@agent-history/openai";
import { describe, expect, it } from "vitest";

import { createHistoryManager } from "../src/index.ts";
import { managerOptions } from "./manager-options.ts";
import type { OpenStore } from "./open-test-store.ts";

/** Forty turns of five messages: a question, a call, its result, an answer, an answer. Most are equal. */
const TURNS = 40;

type Read = (
  turn: number,
) => readonly (() => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>)[];

const FORMATS: readonly (readonly [string, Read])[] = [
  ["chat messages", () => chatTurn().map((message) => () => fromChatMessages([message]))],
  [
    "model messages",
    () => [
      () => fromModelMessages([{ role: "user", content: "Go on." }]),
      () =>
        fromModelMessages([
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }],
          },
        ]),
      () =>
        fromModelMessages([
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "c1",
                toolName: "read",
                output: { type: "text", value: "Text." },
              },
            ],
          },
        ]),
      () => fromModelMessages([{ role: "assistant", content: "Done." }]),
      () => fromModelMessages([{ role: "assistant", content: "Done." }]),
    ],
  ],
  [
    "response items",
    () => [
      () => fromResponseItems([{ role: "user", content: "Go on." }]),
      () =>
        fromResponseItems([
          { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
        ]),
      () => fromResponseItems([{ type: "function_call_output", call_id: "c1", output: "Text." }]),
      () => fromResponseItems([{ role: "assistant", content: "Done." }]),
      () => fromResponseItems([{ role: "assistant", content: "Done." }]),
    ],
  ],
  [
    "UI messages",
    (turn) =>
      ["user", "assistant", "assistant", "assistant", "assistant"].map((role, index) => () => {
        const parts = [{ type: "text", text: "Done." }];
        return fromUIMessages(
          JSON.parse(JSON.stringify([{ id: `ui-${turn}-${index}`, role, parts }])),
        );
      }),
  ],
];

/** Declares that two hundred messages that come one by one, or again and again, are two hundred, through every format. */
export function describeImports(name: string, openTestStore: () => Promise<OpenStore>): void {
  describe(`two hundred messages on ${name}`, () => {
    it.each(FORMATS)("are two hundred where %s come one by one", async (_format, turnOf) => {
      const opened = await openTestStore();
      const { history, store, threadId } = managed(opened.store);
      for (let turn = 0; turn < TURNS; turn++) {
        const scope = history.beginTurn(`turn-${turn}`);
        for (const read of turnOf(turn)) expect(await scope.append(await read())).toHaveLength(1);
      }
      const { entries } = await store.read(threadId);

      expect(entries).toHaveLength(5 * TURNS);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(5 * TURNS);
      const calls = entries.filter(({ type }) => type === "action").length;
      expect(pairCalls(entries).actionOf.size).toBe(calls);
      await opened.close();
    });

    it.each(FORMATS)(
      "are two hundred where %s are sent again, as the same objects",
      async (_format, turnOf) => {
        const opened = await openTestStore();
        const { history, store, threadId } = managed(opened.store);
        for (let turn = 0; turn < TURNS; turn++) {
          const given = (await Promise.all(turnOf(turn).map(async (read) => read()))).flat();
          await history.append(given);
          await history.append(given);
        }
        expect((await store.read(threadId)).entries).toHaveLength(5 * TURNS);
        await opened.close();
      },
    );

    it("are two hundred where the whole chat is synced after every message, and come back as they were", async () => {
      const opened = await openTestStore();
      const { history, store, threadId } = managed(opened.store);
      const chat = Array.from({ length: TURNS }, chatTurn).flat();
      for (let length = 1; length <= chat.length; length += 3) {
        await history.sync(fromChatMessages(structuredClone(chat.slice(0, length))));
      }
      await history.sync(fromChatMessages(structuredClone(chat)));
      const { entries } = await store.read(threadId);

      expect(entries).toHaveLength(chat.length);
      expect(toChatMessages(entries)).toEqual(chat);
      await opened.close();
    });
  });
}

function managed(store: HistoryStore) {
  const options = managerOptions({ store });
  return { history: createHistoryManager(options), store, threadId: options.threadId };
}

function chatTurn(): readonly ChatMessage[] {
  const call = { id: "c1", type: "function" as const, function: { name: "read", arguments: "{}" } };
  return [
    { role: "user", content: "Go on." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "Text." },
    { role: "assistant", content: "Done." },
    { role: "assistant", content: "Done." },
  ];
}
