import { fromModelMessages, toModelMessages } from "@agent-history/ai-sdk";
import { anthropicTarget, toAnthropicRequest } from "@agent-history/anthropic";
import { isHistoryError, userMessage } from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { fitForTarget, toJson, toJsonObject } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import { chatTarget, responseTarget, toChatMessages, toResponseItems } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { tiktokenCounter } from "@agent-history/tokens";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicWire } from "./servers/anthropic-wire.ts";
import { openaiChatWire } from "./servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "./servers/openai-responses-wire.ts";
import type { Wire } from "./servers/wire.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });

/** Each format, and the server of its provider. */
const formats: readonly {
  name: string;
  wire: Wire;
  target: TargetFormat;
  read?: (entries: readonly HistoryEntry[]) => readonly HistoryEntry[];
  write: (entries: readonly HistoryEntry[]) => JsonObject;
}[] = [
  {
    name: "toChatMessages",
    wire: openaiChatWire,
    target: chatTarget(),
    write: (entries) => ({ model: "m", messages: toJson(toChatMessages(entries)) }),
  },
  {
    name: "toResponseItems",
    wire: openaiResponsesWire,
    target: responseTarget(),
    write: (entries) => ({ model: "m", input: toJson(toResponseItems(entries)) }),
  },
  {
    name: "toAnthropicRequest",
    wire: anthropicWire,
    target: anthropicTarget(),
    write: (entries) => ({
      model: "m",
      max_tokens: 1,
      ...toJsonObject(toAnthropicRequest(entries, { cache: {} })),
    }),
  },
  {
    name: "toAnthropicRequest of what came as model messages",
    wire: anthropicWire,
    target: anthropicTarget(),
    read: (entries) => fromModelMessages(toModelMessages(entries)),
    write: (entries) => ({
      model: "m",
      max_tokens: 1,
      ...toJsonObject(toAnthropicRequest(entries)),
    }),
  },
];

describe.each(formats)("$name", ({ wire, target, read = (entries) => entries, write }) => {
  it("sends nothing that its provider refuses, whole and fitted", () => {
    let sent = 0;
    fc.assert(
      fc.property(
        arbitraryHistory({ running: false }),
        fc.integer({ min: 100, max: 1000 }),
        (history, contextTokens) => {
          const entries = read([...history.map(unsent), userMessage({ content: "Go on." })]);
          for (const tokens of [1_000_000, contextTokens]) {
            const fitted = fit(target, entries, tokens);
            if (fitted === undefined) continue;
            sent += 1;
            expect(wire.problems(write(fitted))).toEqual([]);
          }
        },
      ),
      { numRuns: lawRuns(40) },
    );
    expect(sent).toBeGreaterThan(lawRuns(40));
  });
});

/** Generated entries say that they came from formats, with contents that those never have. */
function unsent({ origin: _, ...entry }: HistoryEntry): HistoryEntry {
  return entry;
}

function fit(
  target: TargetFormat,
  entries: readonly HistoryEntry[],
  contextTokens: number,
): readonly HistoryEntry[] | undefined {
  try {
    return fitForTarget(target, entries, { window: { contextTokens }, counter }, fitToWindow)
      .entries;
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
