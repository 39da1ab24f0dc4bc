import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";

import { UNKNOWN_TOOL } from "./linear-log.ts";

/**
 * Reads a stored UI message of the AI SDK for measuring: texts, calls of tools and their results, step by step. Converting one without loss is `fromUIMessages` of `@agent-history/ai-sdk`, which needs the SDK.
 */
export function fromStoredUIMessage(
  { role, parts }: JsonObject,
  { newId, now = Date.now, turnId }: ReadOptions,
): readonly HistoryEntry[] {
  const fields = (): { readonly id: string; readonly createdAtMs: number; turnId?: string } => ({
    id: newId?.() ?? "",
    createdAtMs: now(),
    ...(turnId !== undefined && { turnId }),
  });
  const all = Array.isArray(parts) ? parts.filter(isJsonObject) : [];
  if (role !== "assistant") {
    const content = textIn(all);
    return [
      role === "system"
        ? systemMessage({ ...fields(), content })
        : userMessage({ ...fields(), content }),
    ];
  }
  return stepsOf(all).flatMap((step) => {
    const content = textIn(step);
    const calls = step.filter(isToolPart);
    if (calls.length === 0)
      return content === "" ? [] : [assistantMessage({ ...fields(), content })];
    const toolCalls = calls.map((part) => ({
      id: nameOf(part["toolCallId"]) ?? UNKNOWN_TOOL,
      name: toolNameOf(part),
      arguments: JSON.stringify(part["input"] ?? {}),
    }));
    const said = action({ ...fields(), ...(content && { content }), toolCalls });
    return [said, ...calls.flatMap((part) => resultOf(part, fields))];
  });
}

/** An answer goes in steps: each began a call of the model. */
function stepsOf(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

function textIn(parts: readonly JsonObject[]): string {
  return parts
    .filter(({ type }) => type === "text")
    .flatMap(({ text }) => textOf(text) ?? [])
    .join("\n");
}

function isToolPart({ type }: JsonObject): boolean {
  return typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
}

function toolNameOf({ type, toolName }: JsonObject): string {
  return nameOf(toolName) ?? nameOf(textOf(type)?.replace(/^tool-/, "")) ?? UNKNOWN_TOOL;
}

function resultOf(
  part: JsonObject,
  fields: () => { readonly id: string; readonly createdAtMs: number },
): readonly HistoryEntry[] {
  const { state, output, errorText, toolCallId } = part;
  const isError = state === "output-error";
  if (!isError && state !== "output-available") return [];
  const content = isError ? errorText : output;
  return [
    observation({
      ...fields(),
      callId: nameOf(toolCallId) ?? UNKNOWN_TOOL,
      toolName: toolNameOf(part),
      outcome: isError ? "error" : "success",
      content: textOf(content) ?? JSON.stringify(content ?? ""),
    }),
  ];
}
