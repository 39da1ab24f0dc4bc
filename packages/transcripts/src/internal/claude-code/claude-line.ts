import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import type { EntryOrigin } from "../entry-writer.ts";
import { isRequestText } from "../is-request-text.ts";

/** A line of a session of Claude Code. */
export interface ClaudeLine {
  readonly line: JsonObject;
  readonly number: number;
}

/** A line that holds a message, or a part of one. */
export interface ClaudeMessageLine extends ClaudeLine {
  readonly message: JsonObject;
  /** Its own id, or its number where it has none. */
  readonly id: string;
}

/** The subagent that a line is of. */
export function agentOf(line: JsonObject): string | undefined {
  return line["isSidechain"] === true ? (nameOf(line["agentId"]) ?? "sidechain") : undefined;
}

/** The line that a line follows; over a compaction, the last one before it. */
export function parentOf(line: JsonObject): string | undefined {
  return nameOf(line["parentUuid"]) ?? nameOf(line["logicalParentUuid"]);
}

export function originOf(
  { line, number }: ClaudeLine,
  { node, parent }: { readonly node: string; readonly parent: string | undefined },
): EntryOrigin {
  const agentId = agentOf(line);
  const cwd = textOf(line["cwd"]);
  return {
    line: number,
    node,
    ...(parent !== undefined && { parent }),
    ...(agentId !== undefined && { agentId }),
    ...(cwd !== undefined && { cwd }),
  };
}

export function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}

export function isResult(block: JsonValue): boolean {
  return isJsonObject(block) && block["type"] === "tool_result";
}

/** The text of a message without what is no text. */
export function textIn(content: JsonValue | undefined): string {
  return blocksOf(content)
    .flatMap((block) => (isJsonObject(block) ? (textOf(block["text"]) ?? []) : []))
    .join("\n");
}

/** Whether a person wrote a message: a picture alone is a request, too. */
export function isRequest(content: JsonValue | undefined): boolean {
  const text = textIn(content);
  return text === "" ? blocksOf(content).some((block) => !isResult(block)) : isRequestText(text);
}
