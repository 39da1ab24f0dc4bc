import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import type { RequestMessage } from "./write-request.ts";

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
 * Puts breakpoints on messages: at the end, and after these numbers of blocks. Existing breakpoints are removed. Linear.
 */
export function markMessages(
  messages: readonly RequestMessage[],
  counts: readonly number[],
  ttl: CacheTtl,
): readonly RequestMessage[] {
  const all = messages.flatMap(({ blocks }) => blocks);
  const mayCarry = ({ type }: JsonObject): boolean => !UNMARKED.has(type);
  const carriers = new Set(
    [all.length, ...counts].map((count) => all.slice(0, count).findLast(mayCarry)),
  );
  return messages.map((message) => {
    const blocks = message.blocks.map((block) =>
      carriers.has(block) ? marked(unmarked(block), ttl) : unmarked(block),
    );
    return { ...message, blocks };
  });
}

function marked(block: JsonObject, ttl: CacheTtl): JsonObject {
  return { ...block, ...breakpoint(ttl) };
}

/** Returns a breakpoint field. */
export function breakpoint(ttl: CacheTtl): JsonObject {
  return { cache_control: { type: "ephemeral", ...(ttl === "1h" && { ttl }) } };
}
