import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf, toJson, withoutUndefined } from "@agent-history/format-kit";

/**
 * Returns model messages as the parts of one UI message: the way back from `convertToModelMessages`. A tool's call and its result are one part, where
 * the call stands; each answer begins with a step.
 */
export function uiPartsOf(messages: readonly unknown[]): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  const indexOf = new Map<JsonValue | undefined, number>();
  const isAnswer = messages.some((message) => roleOf(message) === "assistant");
  const change = (id: JsonValue | undefined, fields: JsonObject): void => {
    const index = indexOf.get(id);
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
        indexOf.set(toolCallId, parts.length);
        parts.push(callPart(block));
      } else if (type === "tool-approval-request") {
        indexOf.set(approvalId, indexOf.get(toolCallId) ?? parts.length);
        change(toolCallId, requestOf(block));
      } else if (type === "tool-approval-response") {
        const { approval } = parts[indexOf.get(approvalId) ?? -1] ?? {};
        change(approvalId, responseTo(block, approval));
      } else if (type === "tool-result") {
        change(toolCallId, resultOf(block, parts[indexOf.get(toolCallId) ?? -1]));
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

/** Returns any other part: the same fields, the file's place as text, the provider's options under their name in the UI. */
function partOf({ providerOptions, data, ...fields }: JsonObject): JsonObject {
  const providerMetadata = providerOptions;
  const { type, url, reference, data: bytes, text } = fieldsOf(data);
  const isFile = fields["type"] === "file" || fields["type"] === "reasoning-file";
  if (!isFile) return withoutUndefined({ ...fields, data, providerMetadata });
  const location = type === undefined ? data : (url ?? bytes ?? text ?? "");
  return withoutUndefined({
    ...fields,
    url: urlOf(location, fields["mediaType"]),
    providerReference: type === "reference" ? reference : undefined,
    providerMetadata,
  });
}

function urlOf(location: JsonValue | undefined, mediaType: JsonValue | undefined): string {
  const text = typeof location === "string" ? location : "";
  if (text === "" || /^[a-z][a-z\d+.-]*:/iu.test(text)) return text;
  return `data:${textOf(mediaType) ?? "application/octet-stream"};base64,${text}`;
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
