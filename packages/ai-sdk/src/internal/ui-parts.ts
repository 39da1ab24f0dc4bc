import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  nameOf,
  objectOf,
  textOf,
  toJson,
  toUrl,
  withoutUndefined,
} from "@agent-history/format-kit";
import type { ModelMessage } from "ai";

import { modelParts, REQUEST } from "./model-parts.ts";
import { APPROVAL } from "./write-model.ts";

/** Returns the data of a UI message that a prompt does not contain, for the metadata of its first entry. */
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

/** Restores a UI message with the present content of its entries; `undefined` if they did not come from one. */
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
 * Converts model messages to the parts of one UI message, the reverse of `convertToModelMessages`. A tool call and its result become one part, at
 * the position of the call; each answer begins with a step.
 */
export function uiPartsOf(messages: readonly unknown[]): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  const partAt = new Map<JsonValue | undefined, number>();
  const said = messages.map((message) => objectOf(toJson(message, asText)));
  const isAnswer = said.some(({ role }) => role === "assistant");
  const change = (id: JsonValue | undefined, fields: JsonObject): void => {
    const index = partAt.get(id);
    if (index !== undefined) parts[index] = { ...parts[index], ...fields };
  };
  for (const { role, content } of said) {
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
      } else if (type === REQUEST) {
        partAt.set(approvalId, partAt.get(toolCallId) ?? parts.length);
        change(toolCallId, requestOf(block));
      } else if (type === APPROVAL) {
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
  const asked = objectOf(approval);
  return {
    state: "approval-responded",
    approval: withoutUndefined({ ...asked, approved, reason }),
  };
}

function resultOf({ output, providerOptions }: JsonObject, call: JsonObject = {}): JsonObject {
  const { type, value, reason } = objectOf(output);
  // If the UI part has no metadata for the result, the AI SDK uses those of the call.
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

/** Converts any other part: the same fields, a file's location as a URL, and provider options as `providerMetadata`. */
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
    providerReference: objectOf(data)["reference"],
    providerMetadata,
  });
}

/** Converts a `URL` to its text, and bytes to base64. */
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

/**
 * Returns the difference between a UI message's parts and those restored from its entries, to be stored in `metadata`: for each part, the index of the equal restored part;
 * `{ of, with, without }` if its fields differ; `{ part }` if there is no such part. `undefined` if all are equal.
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

/** Returns the parts of a template. A part whose restored part no longer exists is left out. */
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

/** Returns a key to match parts by: tool parts by call, others by type. */
function kindOf(part: JsonValue | undefined): string {
  const { type, toolCallId } = isJsonObject(part) ? part : {};
  return JSON.stringify(typeof toolCallId === "string" ? { toolCallId } : { type: type ?? null });
}
