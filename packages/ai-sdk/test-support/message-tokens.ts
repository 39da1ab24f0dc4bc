import { tiktokenCounter } from "@agent-history/tokens";
import type { ModelMessage } from "ai";

const counter = tiktokenCounter({ encoding: "o200k_base" });

/**
 * Counts what a message costs, by the rules of OpenAI's cookbook: 3 and its texts; each call and each
 * result 3 more, with names and what they hold. An image or a file costs 5000; a thought its text, or its seal where that is longer.
 */
export function messageTokens(message: ModelMessage): number {
  if (typeof message.content === "string") {
    return 3 + tokensOf(message.role) + tokensOf(message.content);
  }
  const parts: readonly object[] = message.content;
  const tokens = parts.reduce((sum, part) => sum + partTokens(part), 0);
  // A result counts as a message of its own, wherever it stands.
  const isOfResults =
    parts.length > 0 && parts.every((part) => field(part, "type") === "tool-result");
  const isCounted = message.role === "tool" || isOfResults;
  return isCounted ? tokens : 3 + tokensOf(message.role) + tokens;
}

function partTokens(part: object): number {
  const type = field(part, "type");
  switch (type) {
    case "text":
      return tokensOf(field(part, "text"));
    case "reasoning":
      return Math.max(tokensOf(field(part, "text")), sealTokens(field(part, "providerOptions")));
    case "tool-call":
      return 3 + tokensOf(field(part, "toolName")) + inputTokens(field(part, "input"));
    case "tool-result":
      return 4 + tokensOf("tool") + tokensOf(field(part, "toolName")) + outputTokens(part);
    // Neither is sent to a provider.
    case "tool-approval-request":
    case "tool-approval-response":
      return 0;
    case "file":
    case "image":
      return 5000;
    default:
      return tokensOf(JSON.stringify(part));
  }
}

function sealTokens(options: unknown): number {
  const signature = field(field(options, "anthropic"), "signature");
  return tokensOf(signature);
}

function inputTokens(input: unknown): number {
  return typeof input === "string" ? tokensOf(input) : tokensOf(JSON.stringify(input));
}

function outputTokens(part: object): number {
  const output = field(part, "output");
  const value = field(output, "value");
  if (field(output, "type") === "execution-denied") return tokensOf(field(output, "reason"));
  if (field(output, "type") !== "content" || !Array.isArray(value)) {
    const isJson = String(field(output, "type")).endsWith("json");
    return tokensOf(isJson ? JSON.stringify(value) : value);
  }
  return value.reduce((sum: number, one: object) => sum + partTokens(one), 0);
}

function tokensOf(text: unknown): number {
  return typeof text === "string" ? counter.countText(text) : 0;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
