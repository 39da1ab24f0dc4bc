import { messageRole } from "@agent-history/core";
import type {
  Content,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
} from "@agent-history/core";
import {
  indexOf,
  isLateResult,
  packBinary,
  placeCalls,
  plainText,
  portableContent,
  readContent,
  shownContent,
  unpackBinary,
  writeAnswer,
  writeParts,
} from "@agent-history/format-kit";
import type {
  ParsedMessage,
  MessageFormat,
  MessageRun,
  ReadContext,
  WriteContext,
} from "@agent-history/format-kit";

import { readAssistant, writeModelCall } from "./assistant-message.ts";
import { joinUserMessages } from "./join-user-messages.ts";
import { isProviderCall } from "./model-calls.ts";
import { modelParts } from "./model-parts.ts";
import { readToolMessage, writeResult } from "./tool-message.ts";

/** Model messages of the AI SDK. */
export const modelFormat: MessageFormat = {
  name: "ai-sdk",
  idPrefix: "message",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  read: readMessage,
  write: writeRun,
  join: joinUserMessages,
  pack: packBinary,
  unpack: unpackBinary,
  came: new WeakMap(),
};

function readMessage(
  { role, content }: JsonObject,
  { waiting }: ReadContext,
): readonly ParsedMessage[] {
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, modelParts) } }];
    case "user":
      return [{ says: { type: "user_message", content: readContent(content, modelParts) } }];
    case "assistant":
      return readAssistant(content, waiting);
    case "tool":
      return readToolMessage(content, waiting);
    default:
      return [];
  }
}

function writeRun(run: MessageRun, context: WriteContext): JsonObject | undefined {
  const [first] = run;
  const { isOwn, viewer } = context;
  // A compaction stands in the answer that made it, what a provider's tool gave later in a later one.
  const isOfAnswer = first.type === "summary" || isLateResult(first);
  const role = isOwn && isOfAnswer ? "assistant" : messageRole(first, viewer);
  const content = writeContents(run, role, context);
  // Nothing but the thoughts of another format, or results that the provider alone can give.
  const isNothing = (role === "assistant" || role === "tool") && content.length === 0;
  return !isOwn && isNothing ? undefined : { role, content };
}

function writeContents(
  run: MessageRun,
  role: MessageRole,
  context: WriteContext,
): string | readonly JsonValue[] {
  const [first] = run;
  const content = shownContent(first) ?? "";
  const isBlocks = first.type === "action" || first.type === "observation" || run.length > 1;
  if (typeof content === "string" && !isBlocks) return content;
  if (role === "system" && !context.isOwn) return plainText(foreignParts(content, role));
  return writeAnswer<JsonValue>(run, (entry) => writeBlocks(entry, role, context));
}

function writeBlocks(
  entry: HistoryEntry,
  role: MessageRole,
  { isOwn, callOf }: WriteContext,
): readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignParts(shown, role);
  if (entry.type === "observation") {
    const call = callOf(entry);
    if (!isOwn && isProviderCall(call)) return [];
    return [writeResult(entry, { content, isOwn, call })];
  }
  const parts = writeParts(content, modelParts, isOwn);
  if (entry.type !== "action") return parts;
  const calls = entry.toolCalls.map((call) => ({
    block: writeModelCall(call, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(parts, calls);
}

/** Returns a content that did not come in a model message as one that may stand there: images and files in a user's or a tool's only. */
function foreignParts(content: Content, role: MessageRole): Content {
  const isTaken = role === "user" || role === "tool";
  if (typeof content === "string") return content;
  // The AI SDK leaves an empty text out.
  const parts = content.filter((part) => part.type !== "text" || part.text !== "");
  return portableContent(parts, (media) => isTaken && isUsable(media));
}

/** An id is known to one provider only, and what is no URL would make the AI SDK throw. */
function isUsable({ source }: ImagePart | FilePart): boolean {
  return source.kind !== "id" && (source.kind !== "url" || URL.canParse(source.url));
}
