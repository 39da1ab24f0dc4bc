import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import type { RequestBlock, RequestMessage } from "./write-request.ts";

/** How long what is cached lives. */
export type CacheTtl = "5m" | "1h";

/** What no breakpoint may stand on. */
const UNMARKED: ReadonlySet<JsonValue | undefined> = new Set([
  "thinking",
  "redacted_thinking",
  "fallback",
  "mcp_tool_listing",
]);

/** Returns a block without the breakpoints in it. */
export function unmarked({ cache_control: _, ...block }: JsonObject): JsonObject {
  const { content } = block;
  if (!Array.isArray(content)) return block;
  return {
    ...block,
    content: content.map((part: JsonValue) => (isJsonObject(part) ? unmarked(part) : part)),
  };
}

/** Returns blocks of which the last one carries a breakpoint. */
export function markLast(blocks: readonly JsonObject[], ttl: CacheTtl): readonly JsonObject[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? marked(block, ttl) : block));
}

/**
 * Puts breakpoints into messages: at the end, and before the entries of these places. Breakpoints that came with the messages are left out. Linear.
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

/** Returns the field that is a breakpoint. */
export function breakpoint(ttl: CacheTtl): JsonObject {
  return { cache_control: { type: "ephemeral", ...(ttl === "1h" && { ttl }) } };
}
