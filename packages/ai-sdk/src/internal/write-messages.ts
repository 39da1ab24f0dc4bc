import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, MessageRole, Viewer } from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  messageRuns,
  patchWire,
  placeCalls,
  plainText,
  shownContent,
  unpackBinary,
  writeParts,
} from "@agent-history/format-kit";
import type { MessageRun } from "@agent-history/format-kit";

import { answeredRequests } from "./answered-requests.ts";
import { writeModelCall } from "./assistant-message.ts";
import { foreignParts } from "./foreign-parts.ts";
import { modelParts } from "./model-parts.ts";
import { writeResult } from "./tool-message.ts";

/** Stands in `origin.format` of what came from model messages. */
export const MODEL_FORMAT = "ai-sdk";

const MODEL_TYPES: ReadonlySet<HistoryEntry["type"]> = new Set([
  "system_message",
  "user_message",
  "assistant_message",
  "action",
  "observation",
  "summary",
] as const);

/** The results that answer a request for an approval. */
export type Requests = ReadonlySet<HistoryEntry>;

/** Turns entries into messages: neighbours of one message into that message, as it came. Linear. */
export function writeMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
  known: (run: MessageRun) => object | undefined = () => undefined,
): readonly object[] {
  const requests = answeredRequests(entries);
  return messageRuns(entries, isFromModel).flatMap((run): readonly object[] => {
    const message = known(run);
    if (message !== undefined) return [message];
    const [first] = run;
    const isOwn = isFromModel(first);
    const whole = isOwn ? wholeMessageOf(first) : undefined;
    if (whole !== undefined) return [unpackBinary(whole)];
    const usual = writeRun(run, viewer, requests);
    // Nothing but the thoughts of another format.
    if (!isOwn && usual["role"] === "assistant" && isEmpty(usual["content"])) return [];
    return [unpackBinary(patchWire(usual, isOwn ? first.origin?.extra : undefined))];
  });
}

/** Writes the entries of one message, but for the fields that no entry has. */
export function writeRun(run: MessageRun, viewer: Viewer, requests: Requests): JsonObject {
  const [first] = run;
  const isOwn = isFromModel(first);
  // A compaction stands in the answer that made it.
  const role = isOwn && first.type === "summary" ? "assistant" : messageRole(first, viewer);
  const content = shownContent(first) ?? "";
  const isBlocks = first.type === "action" || first.type === "observation" || run.length > 1;
  if (typeof content === "string" && !isBlocks) return { role, content };
  if (role === "system" && !isOwn) return { role, content: plainText(foreignParts(content, role)) };
  return { role, content: run.flatMap((entry) => writeBlocks(entry, role, requests)) };
}

function writeBlocks(
  entry: HistoryEntry,
  role: MessageRole,
  requests: Requests,
): readonly JsonValue[] {
  const isOwn = isFromModel(entry);
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignParts(shown, role);
  if (entry.type === "observation") {
    return [writeResult(entry, { content, isOwn, isRequested: requests.has(entry) })];
  }
  const parts = writeParts(content, modelParts, isOwn);
  if (entry.type !== "action") return parts;
  const calls = entry.toolCalls.map((call) => ({
    block: writeModelCall(call, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(parts, calls);
}

/** A type that no message becomes did not come from one, whatever its origin says. */
function isFromModel({ type, origin }: HistoryEntry): boolean {
  return origin?.format === MODEL_FORMAT && MODEL_TYPES.has(type);
}

function wholeMessageOf(entry: HistoryEntry): JsonObject | undefined {
  if (entry.type !== "assistant_message" || typeof entry.content === "string") return undefined;
  const [part] = entry.content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole && isJsonObject(part.data) ? part.data : undefined;
}

function isEmpty(content: JsonValue | undefined): boolean {
  return content === "" || (Array.isArray(content) && content.length === 0);
}
