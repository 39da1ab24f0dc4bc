import type { HistoryEntry } from "@agent-history/core";
import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

import type { CompressionResult } from "../compression-result.ts";
import { reasonOf, runCompression } from "./run-compression.ts";
import type { Joining } from "./run-compression.ts";
import type { Settings } from "./settings.ts";

/** Compresses within a span that says counts and names, never content. */
export async function traceCompression(
  entries: readonly HistoryEntry[],
  settings: Settings,
  joining: Joining,
): Promise<CompressionResult> {
  const span = tracerOf("@agent-history/compression")?.startSpan("agent_history.compress");
  span?.setAttributes({
    "agent_history.entries.before": entries.length,
    "agent_history.view": settings.view.startsWith("agent:") ? "agent" : settings.view,
    "agent_history.counter": settings.counter.id,
  });
  try {
    const onRescued = (failure: unknown): void => {
      span?.setAttributes({ "agent_history.rescued_failure": reasonOf(failure) });
    };
    const result = await runCompression(entries, { ...settings, onRescued }, joining);
    endSpan(span, result);
    return result;
  } catch (error) {
    failSpan(span, error);
    span?.end();
    throw error;
  }
}

function endSpan(span: TraceSpan | undefined, result: CompressionResult): void {
  span?.setAttributes({ "agent_history.outcome": result.outcome });
  if (result.outcome === "compressed") {
    const { compactions, shown, dropped } = result;
    span?.setAttributes({
      "agent_history.strategy": compactions[0]?.summary.strategy ?? "",
      "agent_history.summaries": compactions.length,
      "agent_history.tokens.before": sum(compactions.map(({ tokensBefore }) => tokensBefore)),
      "agent_history.tokens.after": sum(compactions.map(({ tokensAfter }) => tokensAfter)),
      "agent_history.parts.shown": shown.length,
      "agent_history.parts.dropped": dropped.length,
    });
  }
  if (result.outcome === "not-needed") span?.setAttributes({ "agent_history.cause": result.cause });
  if (result.outcome === "failed") failSpan(span, result.error);
  span?.end();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
