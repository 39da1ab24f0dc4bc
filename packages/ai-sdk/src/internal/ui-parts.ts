import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  nameOf,
  textOf,
  toJson,
  toUrl,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { ModelMessage } from "ai";

import { modelParts } from "./model-parts.ts";

/** Returns what a UI message has and a prompt has no place for: for the metadata of its first entry. */
export function uiMetadata(
  { id, metadata, parts }: JsonObject,
  became: readonly ModelMessage[],
): JsonObject {
  const template = uiTemplate(uiPartsOf(became), Array.isArray(parts) ? parts : []);
  return {
    ...(id !== undefined && { id }),
    ...(metadata !== undefined && { metadata }),
    ...(template !== undefined && { parts: template }),
  };
}

/** Returns the UI message of its entries and what they say now; `undefined` where they came from none. */
export function restoreMessage(
  entry: HistoryEntry,
  says: readonly ModelMessage[],
): JsonObject | undefined {
  const uiMessage = entry.metadata?.["uiMessage"];
  if (!isJsonObject(uiMessage)) return undefined;
  const { id, metadata, role, parts: template } = uiMessage;
  const usual = uiPartsOf(says);
  return {
    id: nameOf(id) ?? entry.id,
    role: role ?? says[0]?.role ?? "assistant",
    ...(metadata !== undefined && { metadata }),
    parts: Array.isArray(template) ? fillTemplate(usual, template) : usual,
  };
}

/**
 * Returns model messages as the parts of one UI message: the way back from `convertToModelMessages`. A tool's call and its result are one part, where
 * the call stands; each answer begins with a step.
 */
export function uiPartsOf(messages: readonly unknown[]): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  const partAt = new Map<JsonValue | undefined, number>();
  const isAnswer = messages.some((message) => roleOf(message) === "assistant");
  const change = (id: JsonValue | undefined, fields: JsonObject): void => {
    const index = partAt.get(id);
    if (index !== undefined) parts[index] = { ...parts[index], ...fields };
  };
  for (const message of messages) {
    const { role, content } = fieldsOf(toJson(message, asText));
    if (isAnswer && role === "user") {
      parts.push({ type: "steering-message", id: "", parts: blocksOf(content).map(partOf) });
      continue;
    }
    if (role === "assistant") parts.push({ type: "step-start" });
    for (const block of blocksOf(content)) {
      const { type, toolCallId, approvalId } = block;
      if (type === "tool-call") {
        partAt.set(toolCallId, parts.length);
        parts.push(callPart(block));
      } else if (type === "tool-approval-request") {
        partAt.set(approvalId, partAt.get(toolCallId) ?? parts.length);
        change(toolCallId, requestOf(block));
      } else if (type === "tool-approval-response") {
        const { approval } = parts[partAt.get(approvalId) ?? -1] ?? {};
        change(approvalId, responseTo(block, approval));
      } else if (type === "tool-result") {
        change(toolCallId, resultOf(block, parts[partAt.get(toolCallId) ?? -1]));
      } else {
        parts.push(partOf(block));
      }
    }
  }
  return parts;
}

function callPart({ toolName, toolCallId, input, providerExecuted, ...rest }: JsonObject) {
  return withoutUndefined({
    type: `tool-${textOf(toolName) ?? ""}`,
    toolCallId,
    state: "input-available",
    input,
    providerExecuted,
    callProviderMetadata: rest["providerOptions"],
  });
}

function requestOf({ approvalId, isAutomatic, reason, inputSchemaInput, signature }: JsonObject) {
  const approval = { id: approvalId, isAutomatic, requestReason: reason };
  return {
    state: "approval-requested",
    approval: withoutUndefined({ ...approval, inputSchemaInput, signature }),
  };
}

function responseTo({ approved, reason }: JsonObject, approval: JsonValue | undefined): JsonObject {
  const asked = fieldsOf(approval);
  return {
    state: "approval-responded",
    approval: withoutUndefined({ ...asked, approved, reason }),
  };
}

function resultOf({ output, providerOptions }: JsonObject, call: JsonObject = {}): JsonObject {
  const { type, value, reason } = fieldsOf(output);
  // Where the page has none for the result, the AI SDK takes those of the call.
  const isOfCall = sameJson(call["callProviderMetadata"] ?? null, providerOptions ?? null);
  const stamp = withoutUndefined({
    resultProviderMetadata: isOfCall ? undefined : providerOptions,
  });
  switch (type) {
    case "execution-denied":
      return { state: "output-denied", ...(reason !== undefined && { errorText: reason }) };
    case "error-text":
    case "error-json": {
      const errorText = typeof value === "string" ? value : JSON.stringify(value ?? null);
      return { ...stamp, state: "output-error", errorText };
    }
    default:
      return { ...stamp, state: "output-available", output: value ?? null };
  }
}

/** Returns any other part: the same fields, the file's place as a URL, the provider's options under their name in the UI. */
function partOf(block: JsonObject): JsonObject {
  const { providerOptions: providerMetadata, data, ...fields } = block;
  const { type, mediaType } = fields;
  if (type !== "file" && type !== "reasoning-file") {
    return withoutUndefined({ ...fields, data, providerMetadata });
  }
  const media = modelParts.read({ ...block, type: "file" });
  const source = media && "source" in media ? media.source : undefined;
  return withoutUndefined({
    ...fields,
    url: (source && toUrl(source, textOf(mediaType))) ?? "",
    providerReference: fieldsOf(data)["reference"],
    providerMetadata,
  });
}

/** A `URL` is its text, bytes are base64. */
function asText(value: object): JsonValue | undefined {
  if (value instanceof URL) return value.href;
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  if (!(bytes instanceof Uint8Array)) return undefined;
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""));
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function roleOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "role" in message
    ? message.role
    : undefined;
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Returns what a UI message's parts say beyond their entries, for `metadata` to carry: for each part the index of the usual part that it
 * is; `{ of, with, without }` where it has other fields; `{ part }` where none is like it. `undefined` where all are as usual.
 */
function uiTemplate(
  usual: readonly JsonObject[],
  parts: readonly JsonValue[],
): readonly JsonValue[] | undefined {
  const indexesOf = new Map<string, number[]>();
  for (const index of [...usual.keys()].toReversed()) {
    const kind = kindOf(usual[index]);
    const indexes = indexesOf.get(kind);
    if (indexes === undefined) indexesOf.set(kind, [index]);
    else indexes.push(index);
  }
  const template = parts.map((part): JsonValue => {
    const index = indexesOf.get(kindOf(part))?.pop();
    const like = index === undefined ? undefined : usual[index];
    if (index === undefined || like === undefined || !isJsonObject(part)) return { part };
    return differenceOf(like, part, index);
  });
  const isUsual = template.length === usual.length && template.every((one, index) => one === index);
  return isUsual ? undefined : template;
}

/** Returns the parts that a template stands for. One whose usual part is gone is left out. */
function fillTemplate(
  usual: readonly JsonObject[],
  template: readonly JsonValue[],
): readonly JsonValue[] {
  return template.flatMap((one): readonly JsonValue[] => {
    const { part, of, with: changed, without } = isJsonObject(one) ? one : { of: one };
    if (part !== undefined) return [part];
    const like = usual[indexOf(of) ?? -1];
    if (like === undefined) return [];
    const left = Array.isArray(without) ? without : [];
    const kept = Object.entries(like).filter(([key]) => !left.includes(key));
    return [{ ...Object.fromEntries(kept), ...(isJsonObject(changed) ? changed : {}) }];
  });
}

function differenceOf(like: JsonObject, part: JsonObject, of: number): JsonValue {
  const changed = Object.entries(part).filter(
    ([key, value]) => !Object.hasOwn(like, key) || !sameJson(like[key] ?? null, value),
  );
  const without = Object.keys(like).filter((key) => !Object.hasOwn(part, key));
  if (changed.length === 0 && without.length === 0) return of;
  return {
    of,
    ...(changed.length > 0 && { with: Object.fromEntries(changed) }),
    ...(without.length > 0 && { without }),
  };
}

/** A tool's part is known by its call, others by their type. */
function kindOf(part: JsonValue | undefined): string {
  const { type, toolCallId } = isJsonObject(part) ? part : {};
  return JSON.stringify(typeof toolCallId === "string" ? { toolCallId } : { type: type ?? null });
}
