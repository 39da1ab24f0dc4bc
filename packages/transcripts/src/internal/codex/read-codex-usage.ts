import type { JsonObject } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import type { CallUsage } from "../../model-call.ts";
import type { TranscriptItem } from "../../transcript-item.ts";
import { countOf } from "../claude-usage.ts";
import type { CodexLine, CodexState } from "./codex-state.ts";

/** Reads a count of tokens. It is repeated, with the same total, when only the limits of an account have changed. */
export function readCodexUsage(
  state: CodexState,
  { payload, number, atMs }: CodexLine,
): readonly TranscriptItem[] {
  const { info } = payload;
  if (!isJsonObject(info) || !isJsonObject(info["last_token_usage"])) return [];
  const total = JSON.stringify(info["total_token_usage"] ?? atMs);
  if (total === state.total) return [];
  state.total = total;
  state.calls += 1;
  const { open } = state;
  if (open !== undefined) open.isCounted = true;
  const askedAtMs = open?.askedAtMs ?? state.askedAtMs;
  return [
    {
      kind: "call",
      call: {
        id: `call-${state.calls}`,
        line: number,
        model: state.model,
        ...(askedAtMs > 0 && { askedAtMs }),
        answeredAtMs: open?.atMs ?? atMs,
        usage: codexUsage(info["last_token_usage"]),
      },
    },
  ];
}

/** OpenAI counts what was read from the cache among the input; writing to the cache costs nothing extra. */
function codexUsage(usage: JsonObject): CallUsage {
  const input = countOf(usage["input_tokens"]);
  const read = Math.min(input, countOf(usage["cached_input_tokens"]));
  return {
    inputTokens: input - read,
    cacheReadTokens: read,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: countOf(usage["output_tokens"]),
  };
}
