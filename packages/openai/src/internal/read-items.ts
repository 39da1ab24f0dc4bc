import type { ContentPart, JsonObject, JsonValue } from "@agent-history/core";
import {
  callBlock,
  contradicts,
  isJsonObject,
  partsOf,
  readAnswer,
  readCall,
  readCompaction,
  readContent,
  readPart,
  textOf,
  wireDifference,
  writeContent,
} from "@agent-history/format-kit";
import type { AnswerBlock, ParsedMessage, ReadContext } from "@agent-history/format-kit";

import {
  isResponseCall,
  readReasoning,
  responseCalls,
  responseInputParts,
  responseOutputParts,
} from "./response-parts.ts";
import { isResponseResult, readResponseResult } from "./response-results.ts";

/** Neighboring items that become one entry. */
export interface ReadItems {
  readonly draft: ParsedMessage;
  readonly wires: readonly JsonValue[];
}

/** Reads the entry that begins with the item at an index: a single item, or all items of an answer. */
export function readItems(
  wireAt: (index: number) => JsonValue | undefined,
  context: ReadContext,
): ReadItems {
  const { index } = context;
  const wire = wireAt(index) ?? null;
  // A value that is not an object becomes an opaque part.
  if (!isJsonObject(wire)) return { draft: carried("assistant_message", wire), wires: [wire] };
  const draft = readItem(wire, context);
  if (draft !== undefined) return { draft, wires: [wire] };
  const answer = [wire];
  for (;;) {
    const next = wireAt(index + answer.length);
    if (!isJsonObject(next) || endsAnswer(answer, next)) break;
    answer.push(next);
  }
  return { draft: readAnswerItems(answer, context), wires: answer };
}

/** Reads an item that is its own entry; `undefined` for an item of an answer. */
function readItem(item: JsonObject, context: ReadContext): ParsedMessage | undefined {
  switch (item["type"] ?? "message") {
    case "additional_tools":
    case "configuration_update":
    case "compaction_trigger":
      // These change the request from their position on; they are neither a user message nor an answer.
      return carried("system_message", item);
    case "compaction":
      return readCompaction(item);
    case "input_text":
    case "text":
      // A part that is not in a message: its author is unknown.
      return wholeMessage(item);
    case "message":
      return isInputMessage(item) ? (readInputMessage(item) ?? wholeMessage(item)) : undefined;
    default:
      return isResponseResult(item) ? readResponseResult(item, context) : undefined;
  }
}

function carried(type: "assistant_message" | "system_message", data: JsonValue): ParsedMessage {
  return { says: { type, content: [{ type: "opaque", data }] }, extra: { as: "item" } };
}

/** A message without a known role is not part of an answer. */
function wholeMessage(data: JsonObject): ParsedMessage {
  const content = [{ type: "opaque", data, extra: { as: "message" } }] as const;
  return { says: { type: "assistant_message", content } };
}

function readInputMessage(item: JsonObject): ParsedMessage | undefined {
  const role = item["role"] === "user" ? "user" : "system";
  if (role === "system" && item["role"] !== "system" && item["role"] !== "developer") {
    return undefined;
  }
  const content = readContent(item["content"], responseInputParts);
  const says = { type: role === "user" ? "user_message" : "system_message", content } as const;
  const usual = { role, content: writeContent(content, responseInputParts, true) };
  const difference = wireDifference(usual, item);
  if (difference === undefined) return { says };
  return contradicts(difference, usual) ? undefined : { says, extra: difference };
}

/** Returns whether an item is an assistant message. */
function isAnswerMessage(item: JsonObject): boolean {
  return item["role"] === "assistant" && (item["type"] ?? "message") === "message";
}

/** Returns whether an item is a message of another role, known or not. */
function isInputMessage({ role }: JsonObject): boolean {
  return typeof role === "string" && role !== "assistant";
}

/** Types of items that are their own entries, besides messages and results. */
const ALONE: ReadonlySet<JsonValue | undefined> = new Set(
  "additional_tools configuration_update compaction_trigger compaction input_text text".split(" "),
);

/** Depends only on the answer and the next item, so that later items do not change earlier entries. */
function endsAnswer(answer: readonly JsonObject[], next: JsonObject): boolean {
  switch (next["type"] ?? "message") {
    case "message":
      return isInputMessage(next) || (isAnswerMessage(next) && isAnswered(answer));
    case "reasoning":
      return isAnswered(answer);
    default:
      if (ALONE.has(next["type"])) return true;
      return isResponseResult(next) && !answer.some((call) => isProgramOf(call, next));
  }
}

/** Returns whether a further message or reasoning begins a new entry: the answer has a message and no open calls. */
function isAnswered(answer: readonly JsonObject[]): boolean {
  return (
    answer.some(isAnswerMessage) &&
    !answer.some((item) => isResponseCall(item) && !hasOutput(item, answer))
  );
}

/** Returns whether a program's output is in the same answer; both are then opaque, like other tools that the provider runs. */
function hasOutput(call: JsonObject, answer: readonly JsonObject[]): boolean {
  return answer.some((item) => isProgramOf(call, item));
}

function isProgramOf(call: JsonObject, output: JsonObject): boolean {
  return (
    call["type"] === "program" &&
    output["type"] === "program_output" &&
    call["call_id"] === output["call_id"]
  );
}

function readAnswerItems(
  answer: readonly JsonObject[],
  { index, waiting }: ReadContext,
): ParsedMessage {
  const message = answer.find(isAnswerMessage);
  const blocks = answer.map((item, at): AnswerBlock => {
    const isOther = isAnswerMessage(item) && item !== message;
    return isOther || hasOutput(item, answer)
      ? { kind: "parts", parts: [{ type: "opaque", data: item }] }
      : readAnswerItem(item, `call_${index + at}`);
  });
  const [draft = { says: { type: "assistant_message", content: "" } }] = readAnswer(
    blocks,
    waiting,
  );
  return plainest(draft);
}

function readAnswerItem(item: JsonObject, fallbackId: string): AnswerBlock {
  if (isAnswerMessage(item)) return { kind: "parts", parts: readAnswerMessage(item) };
  if (item["type"] === "reasoning") return { kind: "parts", parts: readReasoning(item) };
  if (!isResponseCall(item)) return { kind: "parts", parts: [{ type: "opaque", data: item }] };
  const call = readCall(item, responseCalls, fallbackId);
  const wireId = item[item["type"] === "mcp_approval_request" ? "id" : "call_id"];
  return callBlock(call, textOf(wireId));
}

/** Reads a message item as parts: `extra.item` of the first has the item's other fields; the others are marked as joining it. */
function readAnswerMessage(item: JsonObject): readonly ContentPart[] {
  const { content } = item;
  const opaque: ContentPart = { type: "opaque", data: item };
  if (typeof content === "string") {
    const difference = wireDifference({ role: "assistant", content }, item);
    return [{ type: "text", text: content, ...(difference && { extra: difference }) }];
  }
  if (!Array.isArray(content)) return [opaque];
  const [first, ...others] = content.map((part: JsonValue) => readPart(part, responseOutputParts));
  if (first === undefined) return [opaque];
  const usual = { type: "message", role: "assistant", content };
  const difference = wireDifference(usual, item) ?? {};
  if (contradicts(difference, usual)) return [opaque];
  return [
    withMark(first, { item: difference }),
    ...others.map((part) => withMark(part, { joins: true })),
  ];
}

function withMark(part: ContentPart, mark: JsonObject): ContentPart {
  return { ...part, extra: { ...part.extra, ...mark } };
}

/** Returns an answer with a single bare text part as plain text. */
function plainest(draft: ParsedMessage): ParsedMessage {
  const { says } = draft;
  if (says.type !== "assistant_message") return draft;
  const [only, ...others] = partsOf(says.content);
  const isPlain = only?.type === "text" && only.extra === undefined && others.length === 0;
  return isPlain && only.text !== "" ? { ...draft, says: { ...says, content: only.text } } : draft;
}
