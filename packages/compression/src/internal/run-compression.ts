import { isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { failSpan, tracerOf } from "@agent-history/core/kit";
import type { TraceSpan } from "@agent-history/core/kit";

import type { CompressionResult, NotNeededCause, Settings } from "../compress-options.ts";
import { NEW_STATE, readState } from "../compression-state.ts";
import type { CompressionState } from "../compression-state.ts";
import { planCompression } from "./plan-compression.ts";
import type { CompressionPlan } from "./plan-compression.ts";
import { summarizeSpan } from "./summarize-span.ts";
import type { FinishedSummary } from "./summarize-span.ts";

/** Compresses in a span whose attributes are counts and names, never content. Every failure is an outcome, except an abort by the caller's signal. */
export async function runCompression(
  entries: readonly HistoryEntry[],
  settings: Settings,
  /** Whether to join all summaries into one, whatever the strategy returns. */
  isJoined = false,
): Promise<CompressionResult> {
  const span = tracerOf("@agent-history/compression")?.startSpan("agent_history.compress");
  span?.setAttributes({
    "agent_history.entries.before": entries.length,
    "agent_history.view": settings.view.startsWith("agent:") ? "agent" : settings.view,
    "agent_history.counter": settings.counter.id,
  });
  const onRescued = (failure: unknown): void => {
    span?.setAttributes({ "agent_history.rescued_failure": reasonOf(failure) });
  };
  try {
    const result = await outcomeOf(entries, { ...settings, onRescued }, isJoined);
    describeOutcome(span, result);
    return result;
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span?.end();
  }
}

function describeOutcome(span: TraceSpan | undefined, result: CompressionResult): void {
  span?.setAttributes({ "agent_history.outcome": result.outcome });
  if (result.outcome === "not-needed") span?.setAttributes({ "agent_history.cause": result.cause });
  if (result.outcome === "failed") failSpan(span, result.error);
  if (result.outcome !== "compressed") return;
  const { compactions, shown, dropped } = result;
  span?.setAttributes({
    "agent_history.strategy": compactions[0]?.summary.strategy ?? "",
    "agent_history.summaries": compactions.length,
    "agent_history.tokens.before": compactions.reduce((sum, one) => sum + one.tokensBefore, 0),
    "agent_history.tokens.after": compactions.reduce((sum, one) => sum + one.tokensAfter, 0),
    "agent_history.parts.shown": shown.length,
    "agent_history.parts.dropped": dropped.length,
  });
}

async function outcomeOf(
  entries: readonly HistoryEntry[],
  settings: Settings,
  isJoined: boolean,
): Promise<CompressionResult> {
  const { options, maxFailures, minGrowthShare } = settings;
  throwIfAborted(options.signal);
  const state = readState(options.state);
  let plan: CompressionPlan | undefined;
  const waiting = (failures: number): CompressionState => {
    const afterId = plan?.members.at(-1)?.id;
    if (plan === undefined || afterId === undefined) return { failures };
    return { failures, wait: { afterId, growTokens: Math.ceil(minGrowthShare * plan.tokens) } };
  };
  try {
    plan = await planCompression(entries, settings, state, isJoined);
    const { spans, cause } = plan;
    if (spans.length === 0) return { outcome: "not-needed", cause, reason: REASONS[cause], state };
    const { finished, reason } = await makeSummaries(plan, settings);
    const compactions = finished.map(({ compaction }) => compaction);
    const [compaction] = compactions;
    if (compaction === undefined) {
      return { outcome: "not-beneficial", reason, state: waiting(state.failures) };
    }
    const shown = finished.flatMap((one) => one.shown);
    const dropped = finished.flatMap((one) => one.dropped);
    return { outcome: "compressed", compaction, compactions, shown, dropped, state: NEW_STATE };
  } catch (error) {
    throwIfAborted(options.signal);
    const failures = state.failures + 1;
    const next = failures < maxFailures ? { failures } : waiting(failures);
    return { outcome: "failed", reason: reasonOf(error), error, state: next };
  }
}

const REASONS: Readonly<Record<NotNeededCause, string>> = {
  trigger: "The trigger did not fire.",
  "nothing-to-cover": "All entries must stay unchanged.",
  "cooling-down":
    "The history has not grown since the last compression failed or saved too little.",
  strategy: "The strategy selects no entries that can be summarized.",
};

/** Errors of other code may quote the conversation: only their name is reported. */
function reasonOf(error: unknown): string {
  if (isHistoryError(error)) return error.message;
  return `The compression failed: ${error instanceof Error ? error.name : typeof error}.`;
}

async function makeSummaries(
  { spans, strategy, members }: CompressionPlan,
  settings: Settings,
): Promise<{ readonly finished: readonly FinishedSummary[]; readonly reason: string }> {
  const indexes = new Map(members.map((entry, index) => [entry, index]));
  const finished: FinishedSummary[] = [];
  let reason = "";
  for (const span of spans) {
    const made = await summarizeSpan(span, { indexes, strategy }, settings);
    if (typeof made === "string") reason = made;
    else finished.push(made);
  }
  return { finished, reason };
}
