import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";
import { isJsonObject, toJson, writeRuns } from "@agent-history/format-kit";

import { anthropicFormat } from "../anthropic-messages.ts";

/** A message of a request before it is written. */
export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: readonly JsonObject[];
  /** Whether its content is a plain string. */
  readonly isText: boolean;
  /** Fields besides role and content. */
  readonly fields: JsonObject;
  /** Whether it was read from an Anthropic message. */
  readonly isOwn: boolean;
}

/** Writes repaired entries as messages of a request. */
export function requestMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly RequestMessage[] {
  const written = writeRuns(anthropicFormat, entries, { viewer });
  return written.flatMap(({ message, isOwn }): readonly RequestMessage[] => {
    const wire = toJson(message);
    if (!isJsonObject(wire)) return [];
    const { role, content, ...fields } = wire;
    if (role !== "user" && role !== "assistant" && role !== "system") return [];
    const isText = typeof content === "string";
    const text = content === "" ? [] : [{ type: "text", text: content ?? "" }];
    const all = isText ? text : Array.isArray(content) ? content : [];
    const blocks = all.filter((one) => isJsonObject(one));
    const isNothing = blocks.length === 0 && Object.keys(fields).length === 0;
    return isNothing ? [] : [{ role, blocks, fields, isOwn, isText }];
  });
}

/** Returns a message in the API's form. */
export function writtenMessage({ role, blocks, fields, isText }: RequestMessage): JsonObject {
  const text = isText && blocks.length === 1 ? bareText(blocks[0]) : undefined;
  return { ...fields, role, content: text ?? blocks };
}

/** Returns the text of a block that has no other fields. */
export function bareText(block: JsonObject | undefined): string | undefined {
  const isBare = block !== undefined && Object.keys(block).length === 2;
  const text = isBare && block["type"] === "text" ? block["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}

/**
 * Merges neighbors of one role if one of them was not read from an Anthropic message, and moves results to the start of their message. Also merges neighboring system messages, which the API
 * refuses. Linear.
 */
export function joinTurns(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const turns: RequestMessage[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    // A system message that only has settings stays separate.
    const mayJoin = message.role !== "system" || message.blocks.length > 0;
    if (mayJoin && turn?.[0]?.role === message.role && turn[0].blocks.length > 0)
      turn.push(message);
    else turns.push([message]);
  }
  return turns.flatMap((turn) => (standsAsItIs(turn) ? turn : joined(turn)));
}

function standsAsItIs(turn: readonly RequestMessage[]): boolean {
  if (turn.length > 1 && (turn[0]?.role === "system" || !turn.every(({ isOwn }) => isOwn)))
    return false;
  const kinds = turn.flatMap(({ blocks }) => blocks.map(({ type }) => type));
  const others = kinds.findIndex((kind) => kind !== "tool_result");
  return others < 0 || !kinds.includes("tool_result", others);
}

function joined(turn: readonly RequestMessage[]): readonly RequestMessage[] {
  const [first] = turn;
  if (first === undefined) return [];
  const fields = Object.fromEntries(turn.flatMap((message) => Object.entries(message.fields)));
  const blocks = turn.flatMap((message) => message.blocks);
  const isResult = ({ type }: JsonObject): boolean => type === "tool_result";
  const others = blocks.filter((one) => !isResult(one));
  return [{ ...first, fields, isText: false, blocks: [...blocks.filter(isResult), ...others] }];
}
