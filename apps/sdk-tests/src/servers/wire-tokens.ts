import type { JsonObject } from "@agent-history/core";

/** Tokens that a message, an item or a tool costs beside its texts. */
const OVERHEAD = 3;

/** Where the providers have instructions, tools and messages. */
const COUNTED = [
  ..."system systemInstruction system_instruction instructions".split(" "),
  ..."tools messages input contents".split(" "),
];

/**
 * Counts the tokens of a request: all that it says, by `countText`, and three for each message, item and tool. Keys, types and cache marks are not counted.
 */
export function wireTokens(body: JsonObject, countText: (text: string) => number): number {
  const counted = COUNTED.flatMap((key) => body[key] ?? []);
  return counted.reduce(
    (sum: number, value) => sum + OVERHEAD + tokensIn(value, countText),
    OVERHEAD,
  );
}

/** Fields that say how something is sent, and not what; and seals of reasoning, whose text stands beside them. */
const SILENT = new Set([
  "type",
  "role",
  "cache_control",
  "signature",
  "encrypted_content",
  "id",
  "call_id",
  "status",
]);

/** Counts all texts of a value. */
export function tokensIn(value: unknown, countText: (text: string) => number): number {
  if (typeof value === "string") return countText(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, field]) => (SILENT.has(key) ? sum : sum + tokensIn(field, countText)),
    0,
  );
}
