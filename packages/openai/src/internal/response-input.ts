import type { HistoryEntry, JsonObject } from "@agent-history/core";
import {
  contradicts,
  readContent,
  shownContent,
  wireDifference,
  writeContent,
} from "@agent-history/format-kit";
import type { ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { responseInputParts } from "./response-parts.ts";
import { readResponseResult } from "./response-results.ts";

/** What changes a request from its place on: neither a user's words nor an answer. */
const CONTROL_TYPES: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
]);

/** Reads an item that is not a part of an answer; `undefined` for one that is. */
export function readResponseInput(
  item: JsonObject,
  context: ReadContext,
): ParsedMessage | undefined {
  if (CONTROL_TYPES.has(item["type"])) {
    const content = [{ type: "opaque", data: item }] as const;
    return { says: { type: "system_message", content }, extra: { as: "item" } };
  }
  return readMessage(item) ?? readResponseResult(item, context);
}

function readMessage(item: JsonObject): ParsedMessage | undefined {
  const { type = "message", role } = item;
  if (type !== "message") return undefined;
  const content = readContent(item["content"], responseInputParts);
  const isUser = role === "user";
  if (!isUser && role !== "system" && role !== "developer") return undefined;
  const says = isUser
    ? ({ type: "user_message", content } as const)
    : ({ type: "system_message", content } as const);
  const usual = {
    role: isUser ? "user" : "system",
    content: writeContent(content, responseInputParts, true),
  };
  const difference = wireDifference(usual, item);
  if (difference === undefined) return { says };
  return contradicts(difference, usual) ? undefined : { says, extra: difference };
}

/** Writes a message that came as an item. */
export function writeOwnInput(entry: HistoryEntry, role: string): JsonObject {
  return { role, content: writeContent(shownContent(entry) ?? "", responseInputParts, true) };
}
