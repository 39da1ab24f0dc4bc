import { isHistoryError, throwIfAborted } from "@agent-history/core";
import type { Compaction, HistoryEntry, SummaryPart } from "@agent-history/core";

import type { CompressionResult, NotNeededCause } from "../compression-result.ts";
import { NEW_STATE, readState } from "../compression-state.ts";
import type { CompressionState } from "../compression-state.ts";
import { followedBy } from "../record/merge-parts.ts";
import type { AllowedSpan } from "./allowed-spans.ts";
import { finishSummary, provisionalSummary } from "./finish-summary.ts";
import type { FinishedSummary } from "./finish-summary.ts";
import { planCompression } from "./plan-compression.ts";
import type { CompressionPlan } from "./plan-compression.ts";
import type { Settings } from "./settings.ts";
import { draftSummary } from "./summary-draft.ts";
import { frameSummary } from "./summary-frame.ts";

/** How several spans become summaries: one each, or one for all. */
export type Joining = "apart" | "joined";

/** Compresses a history; whatever goes wrong on the way is an outcome, but for the caller's own signal. */
export async function runCompression(
  entries: readonly HistoryEntry[],
  settings: Settings,
  joining: Joining,
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
    plan = await planCompression(entries, settings, state);
    if (joining === "joined") plan = { ...plan, spans: joinSpans(plan.spans) };
    const { cause } = plan;
    if (plan.spans.length === 0) {
      return { outcome: "not-needed", cause, reason: REASONS[cause], state };
    }
    const made = await makeCompactions(plan, settings);
    const [compaction] = made.compactions;
    if (compaction === undefined) {
      const { reason } = made;
      return { outcome: "not-beneficial", reason, state: waiting(state.failures) };
    }
    const { compactions, shown, dropped } = made;
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
  "nothing-to-cover": "Everything there is stays word for word.",
  "cooling-down": "The history has not grown since a compression failed or did not pay.",
  strategy: "The strategy names nothing that may be covered and read.",
};

/** An error of other code may quote the conversation: only its name is reported. */
export function reasonOf(error: unknown): string {
  if (isHistoryError(error)) return error.message;
  return `The compression failed: ${error instanceof Error ? error.name : typeof error}.`;
}

interface Made {
  readonly compactions: readonly Compaction[];
  readonly shown: readonly SummaryPart[];
  readonly dropped: readonly SummaryPart[];
  /** Why there is none. */
  readonly reason: string;
}

async function makeCompactions(plan: CompressionPlan, settings: Settings): Promise<Made> {
  const { maxTokens, minSavedShare, tokensOf, view } = settings;
  const finished: FinishedSummary[] = [];
  let reason = "";
  for (const [index, span] of plan.spans.entries()) {
    const cap = summaryCap(span.tokens, maxTokens, minSavedShare);
    const frame = tokensOf(provisionalSummary(frameSummary(""), plan.strategy, view));
    const maxTextTokens = cap - frame - FRAME_SLACK;
    if (maxTextTokens < LEAST_TEXT_TOKENS) {
      reason ||= `A summary of ${span.tokens} tokens would not save its share.`;
      continue;
    }
    const onPiece = progressOf(index, plan.spans.length, settings);
    const draft = await draftSummary({ span, onPiece, maxTokens: maxTextTokens }, settings);
    const made =
      draft && finishSummary(draft, { span, maxTokens: cap, maxTextTokens }, plan, settings);
    if (made === undefined) reason = span.concepts === undefined ? NOTHING_SAID : NO_FACTS;
    else finished.push(made);
  }
  return {
    compactions: finished.map(({ compaction }) => compaction),
    shown: finished.flatMap(({ shown }) => shown),
    dropped: finished.flatMap(({ dropped }) => dropped),
    reason,
  };
}

const NO_FACTS = "No facts of the concepts were found.";
const NOTHING_SAID = "The summarizer found nothing to say of what would be covered.";

/** Less than this says nothing. */
const LEAST_TEXT_TOKENS = 12;
/** What frame and text may count more together than apart. */
const FRAME_SLACK = 4;

/** The cap on a summary that covers this many tokens. */
function summaryCap(tokens: number, maxTokens: number | undefined, minSavedShare: number): number {
  const usual = Math.min(4000, Math.max(200, Math.floor(tokens / 5)));
  return Math.min(maxTokens ?? usual, Math.floor((1 - minSavedShare) * tokens));
}

/** One summary for all: what replaces old turns is one message. */
function joinSpans(spans: readonly AllowedSpan[]): readonly AllowedSpan[] {
  const [first, ...others] = spans;
  if (first === undefined || others.length === 0) return spans;
  const isWritten = spans.every(({ text, isDropped }) => text !== undefined || isDropped);
  const texts = spans.flatMap(({ text = "" }) => (text === "" ? [] : [text]));
  const concepts = spans.find((span) => span.concepts !== undefined)?.concepts;
  const { text: _text, ...rest } = first;
  return [
    {
      ...rest,
      covered: spans.flatMap(({ covered }) => covered),
      read: spans.flatMap(({ read, isDropped }) => (isDropped ? [] : read)),
      previous: spans.reduce<readonly SummaryPart[]>(
        (all, { previous }) => followedBy(all, previous),
        [],
      ),
      previousText: spans
        .map(({ previousText }) => previousText)
        .filter(Boolean)
        .join("\n"),
      tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
      isDropped: spans.every(({ isDropped }) => isDropped),
      ...(concepts !== undefined && { concepts }),
      ...(isWritten && { text: texts.join("\n\n") }),
    },
  ];
}

function progressOf(
  summariesDone: number,
  summaries: number,
  { options }: Settings,
): (done: number, total: number) => void {
  return (piecesDone, pieces) => {
    try {
      options.onProgress?.({ piecesDone, pieces, summariesDone, summaries });
    } catch {
      // Who only watches breaks nothing.
    }
  };
}
