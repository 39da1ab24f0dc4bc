import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import {
  isJsonObject,
  isToolCall,
  nameOf,
  plainText,
  readCall,
  readMessages,
  shownContent,
  textOf,
  writeCall,
  writeMessages,
} from "@agent-history/format-kit";
import type {
  CallCodec,
  ParsedMessage,
  MessageFormat,
  MessageRun,
  ReadContext,
  ReadOptions,
  WriteContext,
} from "@agent-history/format-kit";

/**
 * Notes: `{ by, text }`, written by `rules`, `user`, `model` or `tool`. A model's note may have `calls`, each `{ ref, tool, input }`; a
 * tool's note answers the call that its `ref` names.
 */
const notesFormat: MessageFormat = {
  name: "notes",
  idPrefix: "note",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "one-to-one",
  read: readNote,
  write: writeNote,
};

/** Turns notes into entries, so that `toNotes` gives the same notes back. */
export function fromNotes(
  notes: readonly object[],
  options: ReadOptions = {},
): readonly HistoryEntry[] {
  return readMessages(notesFormat, notes, options);
}

/** Turns entries into notes, in their order. */
export function toNotes(entries: readonly HistoryEntry[], viewer: Viewer = {}): readonly object[] {
  return writeMessages(notesFormat, entries, { viewer });
}

const noteCalls: CallCodec = {
  read: ({ ref, tool, input }, fallbackId) => {
    const name = nameOf(tool);
    if (name === undefined || typeof input !== "string") return undefined;
    return { id: nameOf(ref) ?? fallbackId, name, arguments: input };
  },
  write: ({ id, name, arguments: input }) => ({ ref: id, tool: name, input }),
};

/** Gives nothing for a note that it does not understand: format-kit carries it whole. */
function readNote(note: JsonObject, context: ReadContext): readonly ParsedMessage[] {
  const content = textOf(note["text"]);
  if (content === undefined) return [];
  switch (note["by"]) {
    case "rules":
      return [{ says: { type: "system_message", content } }];
    case "user":
      return [{ says: { type: "user_message", content } }];
    case "model":
      return readAnswer(note, content, context);
    case "tool":
      return readResult(note, content, context);
    default:
      return [];
  }
}

function readAnswer(
  { calls: list = [] }: JsonObject,
  content: string,
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  if (!Array.isArray(list)) return [];
  const read = list.map((wire: JsonValue, at) => readCall(wire, noteCalls, `call_${index}_${at}`));
  const toolCalls = read.filter(isToolCall);
  if (toolCalls.length < read.length) return [];
  if (toolCalls.length === 0) return [{ says: { type: "assistant_message", content } }];
  const refs = list.map((wire: JsonValue) => (isJsonObject(wire) ? textOf(wire["ref"]) : ""));
  waiting.add(toolCalls.map((call, at) => ({ key: refs[at] ?? "", call })));
  return [{ says: { type: "action", toolCalls, ...(content !== "" && { content }) } }];
}

function readResult(
  { ref }: JsonObject,
  content: string,
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const call = waiting.answer(textOf(ref) ?? "");
  const callId = nameOf(ref) ?? call?.id ?? `call_${index}`;
  const toolName = call?.name ?? "unknown_tool";
  return [{ says: { type: "observation", callId, toolName, outcome: "success", content } }];
}

function writeNote([entry]: MessageRun, { isOwn, viewer }: WriteContext): JsonObject {
  const text = plainText(shownContent(entry));
  if (entry.type === "observation") return { by: "tool", ref: entry.callId, text };
  const role = messageRole(entry, viewer);
  if (role === "system") return { by: "rules", text };
  if (role !== "assistant") return { by: "user", text };
  if (entry.type !== "action") return { by: "model", text };
  const calls = entry.toolCalls.map((call) => writeCall(call, noteCalls, isOwn));
  return { by: "model", text, calls };
}
