import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { parseEntry } from "@agent-history/core/schema";
import { isJsonObject, packBinary, textOf, waitingCalls } from "@agent-history/format-kit";
import type { WaitingCalls } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import type { FormatUnderTest } from "../format-under-test.ts";
import type { RecordedChats } from "../recorded-chats.ts";
import { countedSources } from "./describe-ids.ts";
import { missingTexts, repeatedTexts, whatIsSaid } from "./what-is-said.ts";

/** What holds of recorded chats, as messages of the format. */
export function describeRecorded(format: FormatUnderTest, { name, chats }: RecordedChats): void {
  const { read, write, problems } = format;

  describe.skipIf(chats === undefined)(`recorded: ${name}`, () => {
    const recorded = chats?.() ?? [];

    it("loses nothing, says nothing twice, and can be stored", () => {
      expect(recorded.length).toBeGreaterThan(10);
      for (const chat of recorded) {
        const messages = write(chatToEntries(chat));
        const entries = read(messages, countedSources());
        expect(write(entries)).toStrictEqual(messages);
        expect(missingTexts(chat, entries)).toEqual([]);
        expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
        expect(entries.map(parseEntry)).toStrictEqual(entries);
      }
    });

    it("pairs each call, says the same as the chat, and gives what the provider takes", async () => {
      for (const chat of recorded) {
        const came = chatToEntries(chat);
        const messages = write(came);
        const entries = read(messages);
        expect(checkHistory(entries)).toEqual([]);
        expect(whatIsSaid(entries)).toEqual(whatIsSaid(came));
        if (problems !== undefined) expect(await problems(messages)).toEqual([]);
      }
    });
  });
}

/** Returns a recorded chat as entries that came from no format. An answer that says nothing is left out. */
function chatToEntries(chat: readonly JsonObject[]): readonly HistoryEntry[] {
  const waiting = waitingCalls();
  return chat.flatMap((message) => {
    const content = textOf(message["content"]) ?? "";
    switch (message["role"]) {
      case "system":
        return [systemMessage({ content })];
      case "user":
        return [userMessage({ content })];
      case "tool":
        return [resultOf(message, content, waiting)];
      default:
        return answerOf(message, content, waiting);
    }
  });
}

function resultOf(message: JsonObject, content: string, waiting: WaitingCalls): HistoryEntry {
  const callId = textOf(message["tool_call_id"]) ?? "";
  const toolName = waiting.answer(callId)?.name ?? "unknown_tool";
  return observation({ callId, toolName, outcome: "success", content });
}

function answerOf(
  message: JsonObject,
  content: string,
  waiting: WaitingCalls,
): readonly HistoryEntry[] {
  const { tool_calls: list } = message;
  const toolCalls = (Array.isArray(list) ? list : []).map((call: JsonValue) => callOf(call));
  waiting.add(toolCalls.map((call) => ({ key: call.id, call })));
  if (toolCalls.length > 0) return [action({ toolCalls, ...(content !== "" && { content }) })];
  return content === "" ? [] : [assistantMessage({ content })];
}

function callOf(wire: JsonValue): ToolCall {
  const { id, function: called } = isJsonObject(wire) ? wire : {};
  const { name, arguments: text } = isJsonObject(called) ? called : {};
  return { id: textOf(id) ?? "", name: textOf(name) ?? "", arguments: textOf(text) ?? "" };
}
