import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import type { RequestBlock, RequestMessage } from "./write-request.ts";

/** Cache lifetime. */
export type CacheTtl = "5m" | "1h";

/** Block types that cannot have a breakpoint. */
const UNMARKED: ReadonlySet<JsonValue | undefined> = new Set([
  "thinking",
  "redacted_thinking",
  "fallback",
  "mcp_tool_listing",
]);

/** Returns a block without breakpoints, including those of its content. */
export function unmarked({ cache_control: _, ...block }: JsonObject): JsonObject {
  const { content } = block;
  if (!Array.isArray(content)) return block;
  return {
    ...block,
    content: content.map((part: JsonValue) => (isJsonObject(part) ? unmarked(part) : part)),
  };
}

/** Puts a breakpoint on the last block. */
export function markLast(blocks: readonly JsonObject[], ttl: CacheTtl): readonly JsonObject[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? marked(block, ttl) : block));
}

/**
 * Puts breakpoints on messages: at the end, and before the entries at these indexes. Existing breakpoints are removed. Linear.
 */
export function markMessages(
  messages: readonly RequestMessage[],
  indexes: readonly number[],
  ttl: CacheTtl,
): readonly RequestMessage[] {
  const all = messages.flatMap(({ blocks }) => blocks);
  const breakpoints = new Set([Infinity, ...indexes].map((index) => lastBefore(all, index)));
  return messages.map((message) => {
    const blocks = message.blocks.map((one): RequestBlock => {
      const block = unmarked(one.block);
      return { ...one, block: breakpoints.has(one) ? marked(block, ttl) : block };
    });
    return { ...message, blocks };
  });
}

function lastBefore(blocks: readonly RequestBlock[], index: number): RequestBlock | undefined {
  const end = blocks.findIndex((block) => block.index >= index);
  return blocks.slice(0, end < 0 ? blocks.length : end).findLast(mayCarry);
}

function mayCarry({ block }: RequestBlock): boolean {
  return !UNMARKED.has(block["type"]);
}

function marked(block: JsonObject, ttl: CacheTtl): JsonObject {
  return { ...block, ...breakpoint(ttl) };
}

/** Returns a breakpoint field. */
export function breakpoint(ttl: CacheTtl): JsonObject {
  return { cache_control: { type: "ephemeral", ...(ttl === "1h" && { ttl }) } };
}
