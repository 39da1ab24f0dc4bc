import { messageRole } from "@agent-history/core";
import type {
  Content,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  ObservationEntry,
  Outcome,
  ToolCall,
} from "@agent-history/core";
import {
  fieldsChanged,
  isJsonObject,
  isLateResult,
  mergeJson,
  nameOf,
  objectOf,
  parseJson,
  placeCalls,
  placesOf,
  plainText,
  portableContent,
  shownContent,
  textOf,
  writeAnswer,
  writeCall,
  writeParts,
} from "@agent-history/format-kit";
import type { MessageRun, WriteContext } from "@agent-history/format-kit";

import { isProviderCall, isRequest, modelCalls, modelParts, outputParts } from "./model-parts.ts";

/** The type of a part that answers an approval request. */
export const APPROVAL = "tool-approval-response";

/** The content of a result. */
type Result = Pick<ObservationEntry, "callId" | "toolName" | "outcome" | "content">;

/** Writes entries as one message: those from a model message with their present content, others by their role. */
export function writeModelMessage(run: MessageRun, context: WriteContext): JsonObject | undefined {
  const [first] = run;
  const { isOwn, viewer } = context;
  // A compaction belongs in the answer that made it, and a late result of a provider's tool in a later answer.
  const isOfAnswer = first.type === "summary" || isLateResult(first);
  const role = isOwn && isOfAnswer ? "assistant" : messageRole(first, viewer);
  const content = writeContents(run, role, context);
  // Skip messages that contain only reasoning of another format, or results that only the provider can write.
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
  if (role === "system" && !context.isOwn) return plainText(foreignContent(content, role));
  return writeAnswer<JsonValue>(run, (entry) => writeBlocks(entry, role, context));
}

function writeBlocks(
  whole: HistoryEntry,
  role: MessageRole,
  { isOwn, callOf }: WriteContext,
): readonly JsonValue[] {
  const isLean = isOwn && whole.leftOut !== undefined;
  const entry = isLean ? withoutItemIds(whole) : whole;
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignContent(shown, role);
  if (entry.type === "observation") {
    const call = callOf(entry);
    if (!isOwn && isProviderCall(call)) return [];
    return [writeResult(entry, { content, isOwn, call })];
  }
  const parts = writeParts(content, modelParts, isOwn);
  if (entry.type !== "action") return parts;
  const places = isOwn ? placesOf(entry) : [];
  const calls = entry.toolCalls.map((call, nth) => ({
    block: writeCall(call, modelCalls, isOwn),
    index: places[nth],
  }));
  return placeCalls<JsonValue>(parts, calls);
}

/** Converts content of another format for a model message: images and files only in user and tool messages. */
export function foreignContent(content: Content, role: MessageRole): Content {
  const isTaken = role === "user" || role === "tool";
  return portableContent(content, (media) => isTaken && isUsable(media));
}

/** Returns whether a source can be sent. A file id is valid for one provider only, and the AI SDK throws for an invalid URL. */
function isUsable({ source }: ImagePart | FilePart): boolean {
  return source.kind !== "id" && (source.kind !== "url" || URL.canParse(source.url));
}

/** Writes a result or an approval response. An entry that answers an approval request is a response, whatever its origin. */
function writeResult(
  entry: ObservationEntry,
  { content, isOwn, call }: { content: Content; isOwn: boolean; call: ToolCall | undefined },
): JsonObject {
  const extra = isOwn ? entry.origin?.extra : undefined;
  const as = textOf(extra?.["as"]) ?? (!isOwn && isRequest(call) ? APPROVAL : undefined);
  return mergeJson(resultPart({ ...entry, content }, as, isOwn), objectOf(extra?.["result"]));
}

/** Writes a result as a part of a message; `as` is the output type if outcome and content do not imply it. */
export function resultPart(result: Result, as: string | undefined, isOwn: boolean): JsonObject {
  const { callId, toolName, outcome, content } = result;
  if (as !== APPROVAL) {
    const output = writeOutput(outcome, content, as, isOwn);
    return { type: "tool-result", toolCallId: callId, toolName, output };
  }
  const reason = plainText(content);
  return {
    type: as,
    approvalId: callId,
    // An unanswered request counts as not approved.
    approved: outcome === "success",
    ...(reason !== "" && { reason }),
  };
}

function writeOutput(
  outcome: Outcome,
  content: Content,
  as: string | undefined,
  isOwn: boolean,
): JsonObject {
  const [part] = typeof content === "string" ? [] : content;
  if (as === "output" && part?.type === "opaque" && isJsonObject(part.data)) return part.data;
  const text = plainText(content);
  if (outcome === "denied") {
    return { type: "execution-denied", ...(text !== "" && { reason: text }) };
  }
  const isError = outcome !== "success";
  // JSON that was shortened may no longer be valid; then send it as text.
  const value = as === "json" || as === "error-json" ? parseJson(text) : undefined;
  if (value !== undefined) return { type: isError ? "error-json" : "json", value };
  if (isError) return { type: "error-text", value: text };
  return typeof content === "string"
    ? { type: "text", value: content }
    : { type: "content", value: writeParts(content, outputParts, isOwn) };
}

/** Removes OpenAI's item ids from the parts and calls of an entry, so that the AI SDK sends them whole and the server does not demand related items. */
export function withoutItemIds(
  entry: HistoryEntry,
  isGone: (id: string) => boolean = () => true,
): HistoryEntry {
  const bare = fieldsChanged((fields) => {
    const id = itemIdIn(fields);
    if (id === undefined || !isGone(id)) return fields;
    return withOptions(fields, ({ itemId: _, ...rest }) => rest);
  });
  return bare(entry);
}

/** Returns OpenAI's item id of a part or call, from its provider options. */
export function itemIdIn({ providerOptions }: JsonObject): string | undefined {
  const { openai, azure = openai } = objectOf(providerOptions);
  return nameOf(objectOf(azure)["itemId"]);
}

/** Changes the options of each provider; returns the same fields if nothing changes. Values that are no options are removed. */
export function withOptions(
  fields: JsonObject,
  change: (options: JsonObject) => JsonObject,
): JsonObject {
  const { providerOptions } = fields;
  const given = Object.entries(objectOf(providerOptions));
  const now = given.flatMap(([name, options]): [string, JsonObject][] =>
    isJsonObject(options) ? [[name, change(options)]] : [],
  );
  const isSame = now.length === given.length && now.every(([, one], at) => one === given[at]?.[1]);
  const isWhole = providerOptions === undefined || isJsonObject(providerOptions);
  return isWhole && isSame ? fields : { ...fields, providerOptions: Object.fromEntries(now) };
}
