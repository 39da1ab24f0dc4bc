import type { HistoryEntry, JsonObject } from "../src/index.ts";
import { contradicts } from "./internal/contradicts.ts";
import type { EntryDraft } from "./internal/entry-draft.ts";
import type { ReadContext } from "./internal/message-format.ts";
import { readContent, writeContent } from "./internal/part-codec.ts";
import { shownContent } from "./internal/shown-content.ts";
import { wireDifference } from "./internal/wire-difference.ts";
import { responsesInputParts } from "./responses-parts.ts";
import { readResponsesResult } from "./responses-results.ts";

/** What changes a request from its place on: neither a user's words nor an answer. */
const CONTROL_TYPES: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
]);

/** Reads an item that is no part of an answer; `undefined` for one that is. */
export function readResponsesInput(item: JsonObject, context: ReadContext): EntryDraft | undefined {
  if (CONTROL_TYPES.has(item["type"])) {
    const content = [{ type: "opaque", data: item }] as const;
    return { says: { type: "system_message", content }, extra: { as: "item" } };
  }
  return readMessage(item) ?? readResponsesResult(item, context);
}

function readMessage(item: JsonObject): EntryDraft | undefined {
  const { type = "message", role } = item;
  if (type !== "message") return undefined;
  const content = readContent(item["content"], responsesInputParts);
  const says =
    role === "user"
      ? ({ type: "user_message", content } as const)
      : role === "system" || role === "developer"
        ? ({ type: "system_message", content } as const)
        : undefined;
  if (says === undefined) return undefined;
  const usual = writeResponsesMessage(says, says.type === "user_message" ? "user" : "system", true);
  const difference = wireDifference(usual, item);
  if (difference === undefined) return { says };
  return contradicts(difference, usual) ? undefined : { says, extra: difference };
}

/** Writes a message that goes into a request. */
export function writeResponsesMessage(
  entry: HistoryEntry | EntryDraft["says"],
  role: string,
  isOwn: boolean,
): JsonObject {
  return { role, content: writeContent(shownContent(entry) ?? "", responsesInputParts, isOwn) };
}
