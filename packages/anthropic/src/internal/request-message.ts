import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";
import { isJsonObject, toJson, writeRuns } from "@agent-history/format-kit";

import { anthropicFormat } from "./anthropic-format.ts";
import { soundBlocks } from "./sound-blocks.ts";

/** A message of a request on its way. */
export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: readonly RequestBlock[];
  /** Whether its content is a bare text. */
  readonly isText: boolean;
  /** What a message holds beside role and content. */
  readonly fields: JsonObject;
  /** Whether it came as an Anthropic message. */
  readonly isOwn: boolean;
}

/** A block, and the place of its entry among those of the prompt. */
export interface RequestBlock {
  readonly block: JsonObject;
  readonly index: number;
}

/** How the messages of a request are written. */
export interface RequestMessageOptions {
  readonly viewer: Viewer;
  readonly keepsThinking: boolean;
  readonly indexOf: (entry: HistoryEntry) => number;
}

/** What may stand in a system message beside its content. */
const FIELDS = ["clear_at", "output_config"];

/** Writes entries as messages of a request, without what the API refuses anywhere: blank texts, fields of answers, roles of others. */
export function requestMessages(
  entries: readonly HistoryEntry[],
  { viewer, keepsThinking, indexOf }: RequestMessageOptions,
): readonly RequestMessage[] {
  const written = writeRuns(anthropicFormat, entries, { viewer });
  return written.flatMap(({ run, message, isOwn }): readonly RequestMessage[] => {
    const wire = toJson(message);
    if (!isJsonObject(wire)) return [];
    const { role, content } = wire;
    if (role !== "user" && role !== "assistant" && role !== "system") return [];
    const index = run.reduce((last, entry) => Math.max(last, indexOf(entry)), -1);
    const blocks = soundBlocks({ role, content }, keepsThinking).map((block) => ({ block, index }));
    const found = FIELDS.filter((key) => role === "system" && Object.hasOwn(wire, key));
    const fields = Object.fromEntries(found.map((key) => [key, wire[key] ?? null]));
    const isNothing = blocks.length === 0 && !("output_config" in fields);
    return isNothing ? [] : [{ role, blocks, fields, isOwn, isText: typeof content === "string" }];
  });
}

/** Returns a message as the API takes it. */
export function writtenMessage({ role, blocks, fields, isText }: RequestMessage): JsonObject {
  const [first] = blocks;
  const text = isText && blocks.length === 1 ? bareText(first?.block) : undefined;
  return { ...fields, role, content: text ?? blocks.map(({ block }) => block) };
}

/** Returns the text of a block that says nothing else. */
export function bareText(block: JsonObject | undefined): string | undefined {
  const isBare = block !== undefined && Object.keys(block).length === 2;
  const text = isBare && block["type"] === "text" ? block["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}
