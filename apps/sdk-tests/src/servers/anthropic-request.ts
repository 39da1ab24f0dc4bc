import type { JsonObject, JsonValue } from "@agent-history/core";

import { pairedTurns } from "./paired-turns.ts";
import type { PairedTurn } from "./paired-turns.ts";
import { isObject, objectsAt, textIn } from "./read-wire.ts";

/** A request to Anthropic's Messages API, as its rules look at it. */
export interface AnthropicRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly messages: readonly AnthropicMessage[];
  /** Messages of one role in a row as one, as the API reads them; system messages stand in none. */
  readonly turns: readonly AnthropicTurn[];
  readonly tools: readonly JsonObject[];
}

export interface AnthropicMessage {
  readonly role: string;
  readonly fields: JsonObject;
  /** A text is a block of text. */
  readonly blocks: readonly JsonObject[];
}

export interface AnthropicTurn extends PairedTurn<AnthropicMessage> {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

/** Reads a request. */
export function readAnthropic(body: JsonObject): AnthropicRequest {
  const messages = objectsAt(body, "messages").map((fields): AnthropicMessage => {
    return { role: textIn(fields["role"]), fields, blocks: blocksIn(fields["content"]) };
  });
  const tools = objectsAt(body, "tools");
  return { body, model: textIn(body["model"]), messages, turns: turnsOf(messages), tools };
}

/** Returns the blocks of a content; a text is one. */
function blocksIn(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter((block: JsonValue) => isObject(block)) : [];
}

function turnsOf(messages: readonly AnthropicMessage[]): readonly AnthropicTurn[] {
  const said = messages.filter(({ role }) => role !== "system");
  const turns = pairedTurns(said, ({ role, blocks }) => {
    const idsOf = (type: string, key: string): readonly string[] =>
      blocks.filter((block) => block["type"] === type).map((block) => textIn(block[key]));
    return {
      by: role,
      calls: idsOf("tool_use", "id"),
      results: idsOf("tool_result", "tool_use_id"),
    };
  });
  return turns.map((turn) => {
    return { ...turn, role: turn.by, blocks: turn.items.flatMap(({ blocks }) => blocks) };
  });
}

/** Returns whether a block is thinking, readable or not. */
export function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns the blocks of a type. */
export function blocksOf({ messages }: AnthropicRequest, type: string): readonly JsonObject[] {
  return messages.flatMap(({ blocks }) => blocks.filter((block) => block["type"] === type));
}
