import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";

/** The tokens of one model call, as its provider reported them. The fields do not overlap, unless stated. */
export interface CallUsage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  /** Cache writes of every lifetime. */
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` with a lifetime of one hour. */
  readonly cacheWrite1hTokens: number;
  /** Reasoning included. Claude Code logs the count at the beginning of an answer, which is too low. */
  readonly outputTokens: number;
}

/** One model call of a recorded session. */
export interface ModelCall {
  /** Unique in its session. */
  readonly id: string;
  /** The line that first reports its usage, from 1. */
  readonly line: number;
  readonly model: string;
  /** When the last message before the call was logged. */
  readonly askedAtMs?: number | undefined;
  /** When the first part of the answer was logged. */
  readonly answeredAtMs?: number | undefined;
  readonly usage: CallUsage;
  /** The subagent that made the call. */
  readonly agentId?: string | undefined;
  /** The provider's reason for a cache miss, if logged. */
  readonly providerReason?: string | undefined;
}

/** Zero usage. */
export const NO_USAGE: CallUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
};

/** Sums up usages. */
export function addUsage(usages: Iterable<CallUsage>): CallUsage {
  const sum: { -readonly [Kind in keyof CallUsage]: number } = { ...NO_USAGE };
  for (const usage of usages) {
    sum.inputTokens += usage.inputTokens;
    sum.cacheReadTokens += usage.cacheReadTokens;
    sum.cacheWriteTokens += usage.cacheWriteTokens;
    sum.cacheWrite1hTokens += usage.cacheWrite1hTokens;
    sum.outputTokens += usage.outputTokens;
  }
  return sum;
}

/** Returns the tokens of a call's whole prompt, cached ones included. */
export function promptTokens(usage: CallUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Reads the `usage` of a response of Anthropic's API. */
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

/** Reads a token count; 0 for anything else. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

/** Reads the provider's reason for a cache miss. */
export function providerReason(message: JsonObject): string | undefined {
  const diagnostics = message["diagnostics"];
  const reason = isJsonObject(diagnostics) ? diagnostics["cache_miss_reason"] : undefined;
  return isJsonObject(reason) ? textOf(reason["type"]) : undefined;
}
