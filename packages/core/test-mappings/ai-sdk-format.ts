import { messageRole } from "../src/index.ts";
import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "../src/index.ts";
import { readAiSdkAssistant, writeAiSdkCall } from "./ai-sdk-assistant.ts";
import { aiSdkParts } from "./ai-sdk-parts.ts";
import { readAiSdkToolMessage, writeAiSdkResult } from "./ai-sdk-tool-message.ts";
import type { EntryDraft } from "./internal/entry-draft.ts";
import type { MessageFormat, ReadContext } from "./internal/message-format.ts";
import { readContent, writeParts } from "./internal/part-codec.ts";
import { placeCalls } from "./internal/place-calls.ts";
import { plainText } from "./internal/plain-text.ts";
import { shownContent } from "./internal/shown-content.ts";
import { indexOf } from "./internal/wire-text.ts";

const NAME = "ai-sdk";

/** AI SDK model messages, packed as JSON. Each result of a tool's message is an observation. */
export const aiSdkFormat: MessageFormat = { name: NAME, read: readMessage, write: writeRun };

function readMessage(message: JsonObject, context: ReadContext): readonly EntryDraft[] {
  const { role, content } = message;
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, aiSdkParts) } }];
    case "user":
      return [{ says: { type: "user_message", content: readContent(content, aiSdkParts) } }];
    case "assistant":
      return readAiSdkAssistant(content, context);
    case "tool":
      return readAiSdkToolMessage(content, context);
    default:
      return [];
  }
}

function writeRun(run: readonly [HistoryEntry, ...HistoryEntry[]], viewer: Viewer): JsonObject {
  const [first] = run;
  const isOwn = first.origin?.format === NAME;
  // A compaction stands in the answer that made it.
  const role = isOwn && first.type === "summary" ? "assistant" : messageRole(first, viewer);
  const content = shownContent(first);
  const isBlocks = first.type === "action" || first.type === "observation" || run.length > 1;
  if (typeof content === "string" && !isBlocks) return { role, content };
  if (role === "system" && !isOwn) return { role, content: plainText(content) };
  return { role, content: run.flatMap((entry) => writeBlocks(entry, isOwn)) };
}

function writeBlocks(entry: HistoryEntry, isOwn: boolean): readonly JsonValue[] {
  if (entry.type === "observation") return [writeAiSdkResult(entry, isOwn)];
  const parts = writeParts(shownContent(entry) ?? "", aiSdkParts, isOwn);
  if (entry.type !== "action") return parts;
  const calls = entry.toolCalls.map((call) => ({
    block: writeAiSdkCall(call, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(parts, calls);
}
