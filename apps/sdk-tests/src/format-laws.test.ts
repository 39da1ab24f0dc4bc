import { fromModelMessages, toModelMessages } from "@agent-history/ai-sdk";
import { toAnthropicRequest } from "@agent-history/anthropic";
import { isHistoryError, repairHistory, userMessage } from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { toJson, toJsonObject } from "@agent-history/format-kit";
import { toChatMessages, toResponseItems } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicWire } from "./servers/anthropic-wire.ts";
import { openaiChatWire } from "./servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "./servers/openai-responses-wire.ts";
import { startStrictServer } from "./servers/start-strict-server.ts";
import type { Wire } from "./servers/wire.ts";

const counter = gptTokenizerCounter({ encoding: "o200k_base" });

/** Each format, and the server of its provider. */
const formats: readonly {
  name: string;
  wire: Wire;
  write: (entries: readonly HistoryEntry[]) => JsonObject;
}[] = [
  {
    name: "toChatMessages",
    wire: openaiChatWire,
    write: (entries) => ({ model: "m", messages: toJson(toChatMessages(entries)) }),
  },
  {
    name: "toResponseItems",
    wire: openaiResponsesWire,
    write: (entries) => ({ model: "m", input: toJson(toResponseItems(entries)) }),
  },
  {
    name: "toAnthropicRequest",
    wire: anthropicWire,
    write: (entries) => ({
      model: "m",
      max_tokens: 1,
      ...toJsonObject(toAnthropicRequest(entries, { cache: {} })),
    }),
  },
  {
    name: "toAnthropicRequest of what came as model messages",
    wire: anthropicWire,
    write: (entries) => {
      const messages = fromModelMessages(toModelMessages(entries));
      return { model: "m", max_tokens: 1, ...toJsonObject(toAnthropicRequest(messages)) };
    },
  },
];

describe.each(formats)("$name", ({ wire, write }) => {
  it("sends nothing that its provider refuses, whole and fitted", async () => {
    await using server = await startStrictServer({ wire });
    const histories = arbitraryHistory({ running: false });
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.integer({ min: 100, max: 1000 }),
        async (history, contextTokens) => {
          const before = server.refusals.length;
          const asked = [...history.map(written), userMessage({ content: "Go on." })];
          const { entries } = repairHistory(asked);
          for (const sent of [entries, fit(entries, contextTokens)]) {
            if (sent === undefined) continue;
            await fetch(`${server.origin}${wire.path}`, {
              method: "POST",
              body: JSON.stringify(write(sent)),
            });
          }
          expect(server.refusals.slice(before).map(({ rules }) => rules)).toEqual([]);
        },
      ),
      { numRuns: lawRuns(40) },
    );
    expect(server.taken.length).toBeGreaterThan(lawRuns(40));
  });
});

/** Generated entries say that they came from formats, with contents that those never have, and call tools that nobody may name so. */
function written({ origin: _, ...entry }: HistoryEntry): HistoryEntry {
  if (entry.type === "observation") return { ...entry, toolName: "find" };
  if (entry.type !== "action") return entry;
  return { ...entry, toolCalls: entry.toolCalls.map((call) => ({ ...call, name: "find" })) };
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
