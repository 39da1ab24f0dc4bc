import { messageRole } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  MessageRole,
  ObservationEntry,
  Viewer,
} from "@agent-history/core";
import {
  isJsonObject,
  nameOf,
  readContent,
  shownContent,
  textOf,
  toJsonObject,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";
import type { MessageFormat, ParsedMessage, ReadContext } from "@agent-history/format-kit";

import { langChainParts } from "./langchain-parts.ts";
import { messageFields } from "./message-fields.ts";
import { readAssistant } from "./read-assistant.ts";
import { writeForeignAssistant, writeOwnAssistant } from "./write-assistant.ts";
import { writeForeignContent } from "./write-foreign-content.ts";

/** Messages of LangChain's. */
export const langChainFormat: MessageFormat = {
  name: "langchain",
  idPrefix: "langchain",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "one-to-one",
  said: messageFields,
  pack: toJsonObject,
  came: new WeakMap(),
  read: (message, context) => {
    const draft = readMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], { isOwn, viewer }) => (isOwn ? writeOwn(entry) : writeForeign(entry, viewer)),
};

/** What LangChain calls a role: in messages of its own, and in plain ones. */
const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["tool", "tool"],
]);

const TYPES: Readonly<Record<MessageRole, string>> = {
  system: "system",
  user: "human",
  assistant: "ai",
  tool: "tool",
};

function readMessage(message: JsonObject, context: ReadContext): ParsedMessage | undefined {
  const { type, role: given } = message;
  // A message of a role of its own says it beside its type.
  const name = type === undefined || type === "generic" ? given : type;
  const role = ROLES.get(textOf(name) ?? "");
  if (role === undefined) return undefined;
  const draft = readSaid(message, role, context);
  const as = textOf(type);
  return as === undefined || as === TYPES[role]
    ? draft
    : { ...draft, extra: { ...draft.extra, type: as } };
}

function readSaid(message: JsonObject, role: MessageRole, context: ReadContext): ParsedMessage {
  if (role === "assistant") return readAssistant(message, context);
  if (role === "tool") return readResult(message, context);
  const content = readContent(message["content"], langChainParts);
  return { says: { type: role === "system" ? "system_message" : "user_message", content } };
}

function readResult(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  const { status } = message;
  const as = {
    ...(name !== undefined && { name: true }),
    ...((status === "success" || status === "error") && { status: true }),
  };
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: status === "error" ? "error" : "success",
      content: readContent(message["content"], langChainParts),
    },
    ...(Object.keys(as).length > 0 && { extra: { as } }),
  };
}

function writeOwn(entry: HistoryEntry): JsonObject {
  const message = writeSaid(entry);
  const type = textOf(entry.origin?.extra?.["type"]);
  return type === undefined ? message : { ...message, type };
}

function writeSaid(entry: HistoryEntry): JsonObject {
  if (entry.type === "observation") return writeOwnResult(entry);
  const role = messageRole(entry);
  if (role === "assistant") return writeOwnAssistant(entry);
  const content = writeContent(shownContent(entry) ?? "", langChainParts, true);
  return { type: TYPES[role], content };
}

function writeOwnResult(entry: ObservationEntry): JsonObject {
  const content = writeContent(shownContent(entry) ?? "", langChainParts, true);
  const as = entry.origin?.extra?.["as"];
  const has = isJsonObject(as) ? as : {};
  const name = has["name"] === true ? entry.toolName : undefined;
  const status = has["status"] === true ? statusOf(entry) : undefined;
  return withoutUndefined({ type: "tool", content, tool_call_id: entry.callId, name, status });
}

function writeForeign(entry: HistoryEntry, viewer: Viewer): JsonObject {
  const role = messageRole(entry, viewer);
  if (role === "assistant") return writeForeignAssistant(entry);
  const content = writeForeignContent(shownContent(entry) ?? "", role);
  if (entry.type !== "observation") return { type: TYPES[role], content };
  const { callId: tool_call_id, toolName: name } = entry;
  return { type: "tool", content, tool_call_id, name, status: statusOf(entry) };
}

function statusOf({ outcome }: ObservationEntry): "success" | "error" {
  return outcome === "success" ? "success" : "error";
}
