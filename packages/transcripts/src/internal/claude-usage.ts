import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";

import type { CallUsage } from "../model-call.ts";

/** Reads the `usage` of an answer of Anthropic's API. */
export function claudeUsage(usage: JsonObject): CallUsage {
  const written = usage["cache_creation"];
  return {
    inputTokens: countOf(usage["input_tokens"]),
    cacheReadTokens: countOf(usage["cache_read_input_tokens"]),
    cacheWriteTokens: countOf(usage["cache_creation_input_tokens"]),
    cacheWrite1hTokens: isJsonObject(written) ? countOf(written["ephemeral_1h_input_tokens"]) : 0,
    outputTokens: countOf(usage["output_tokens"]),
  };
}

/** Reads a count of tokens; 0 for anything else. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

/** Reads why the provider says that its cache was missed. */
export function providerReason(message: JsonObject): string | undefined {
  const diagnostics = message["diagnostics"];
  const reason = isJsonObject(diagnostics) ? diagnostics["cache_miss_reason"] : undefined;
  return isJsonObject(reason) ? textOf(reason["type"]) : undefined;
}
