import { isHistoryError, throwIfAborted } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";

import type { CompressionResult, NotNeededCause, SummaryFacts } from "../compression-result.ts";
import { NEW_STATE, readState } from "../compression-state.ts";
import type { CompressionState } from "../compression-state.ts";
import type { AllowedSpan } from "./allowed-spans.ts";
import { draftSummary } from "./draft-summary.ts";
import { finishSummary, provisionalSummary } from "./finish-summary.ts";
import type { SummaryDraft } from "./finish-summary.ts";
import { mergeSpans, summaryCap } from "./merge-spans.ts";
import { planCompression } from "./plan-compression.ts";
import type { CompressionPlan } from "./plan-compression.ts";
import type { Settings } from "./settings.ts";
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
    if (joining === "joined") plan = { ...plan, spans: mergeSpans(plan.spans, settings) };
    const { cause } = plan;
    if (plan.spans.length === 0) {
      return { outcome: "not-needed", cause, reason: REASONS[cause], state };
    }
    const made = await makeCompactions(plan, settings, joining);
    const [compaction] = made.compactions;
    if (compaction === undefined) {
      const { reason } = made;
      return { outcome: "not-beneficial", reason, state: waiting(state.failures) };
    }
    const { compactions, facts } = made;
    return { outcome: "compressed", compaction, compactions, facts, state: NEW_STATE };
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
function reasonOf(error: unknown): string {
  if (isHistoryError(error)) return error.message;
  return `The compression failed: ${error instanceof Error ? error.name : typeof error}.`;
}

interface Made {
  readonly compactions: readonly Compaction[];
  readonly facts: SummaryFacts;
  /** Why there is none. */
  readonly reason: string;
}

async function makeCompactions(
  plan: CompressionPlan,
  settings: Settings,
  joining: Joining,
): Promise<Made> {
  const drafts: SummaryDraft[] = [];
  const gone = new Set(plan.spans.flatMap(({ covered }) => covered));
  const kept = plan.members.filter((entry) => !gone.has(entry));
  let reason = "";
  for (const [index, span] of plan.spans.entries()) {
    const caps = capsOf(span, plan, settings, joining);
    if (span.isDropped) {
      const text = droppedText(span);
      if (settings.counter.countText(text) > caps.maxTextTokens) {
        reason ||= `To drop ${span.tokens} tokens would not save its share.`;
      } else
        drafts.push({
          text,
          later: [],
          covered: span.covered,
          tokens: span.tokens,
          isDropped: true,
          ...caps,
        });
      continue;
    }
    if (caps.maxTextTokens < LEAST_TEXT_TOKENS) {
      reason ||= `A summary of ${span.tokens} tokens would not save its share.`;
      continue;
    }
    const later = laterThan(span, kept, plan);
    const onPiece = progressOf(index, plan.spans.length, settings);
    const text = await draftSummary(
      { span, later, onPiece, ...caps, maxTokens: caps.maxTextTokens },
      settings,
    );
    if (text === "") reason = span.concepts === undefined ? NOTHING_SAID : NO_FACTS;
    else
      drafts.push({
        text,
        later,
        covered: span.covered,
        tokens: span.tokens,
        isDropped: false,
        ...caps,
      });
  }
  const whole = joining === "joined" ? joinDrafts(drafts, plan, settings) : drafts;
  const made = whole.map((draft) => finishSummary(draft, plan, settings));
  return {
    compactions: made.map(({ compaction }) => compaction),
    facts: {
      kept: made.flatMap(({ facts }) => facts.kept),
      appended: made.flatMap(({ facts }) => facts.appended),
      dropped: made.flatMap(({ facts }) => facts.dropped),
    },
    reason,
  };
}

/** What stands instead of what is dropped: a model is to know that something was there. */
function droppedText({ covered }: AllowedSpan): string {
  return covered.length === 1
    ? "One earlier entry was dropped."
    : `${covered.length} earlier entries were dropped.`;
}

const NO_FACTS = "No facts of the concepts were found.";
const NOTHING_SAID = "The summarizer found nothing to say of what would be covered.";

/** Less than this says nothing. */
const LEAST_TEXT_TOKENS = 24;

/** Returns the cap on a summary of this many tokens, and what of it is left for the text. */
function capsOf(
  span: Pick<AllowedSpan, "tokens">,
  { spans, strategy }: CompressionPlan,
  { maxTokens, minSavedShare, tokensOf, view }: Settings,
  joining: Joining,
): { readonly maxTokens: number; readonly maxTextTokens: number } {
  const all =
    joining === "joined" ? spans.reduce((sum, { tokens }) => sum + tokens, 0) : span.tokens;
  const cap = summaryCap(all, maxTokens, minSavedShare);
  const frame = tokensOf(provisionalSummary(frameSummary(""), strategy, view)) + FRAME_SLACK;
  const share = all === 0 ? 0 : span.tokens / all;
  return { maxTokens: cap, maxTextTokens: Math.floor((cap - frame) * share) };
}

/** What frame and text may count more together than apart. */
const FRAME_SLACK = 4;

function joinDrafts(
  drafts: readonly SummaryDraft[],
  plan: CompressionPlan,
  settings: Settings,
): readonly SummaryDraft[] {
  if (drafts.length < 2) return drafts;
  const covered = drafts.flatMap((draft) => draft.covered);
  const tokens = drafts.reduce((sum, draft) => sum + draft.tokens, 0);
  const text = drafts.map((draft) => draft.text).join("\n\n");
  const caps = capsOf({ tokens }, { ...plan, spans: [] }, settings, "apart");
  const inOrder = new Set(covered);
  return [
    {
      text,
      tokens,
      covered,
      isDropped: drafts.every(({ isDropped }) => isDropped),
      later: plan.members.filter((entry) => !inOrder.has(entry)),
      ...caps,
    },
  ];
}

/** What stays beside the summaries and comes after the first entry that one covers. */
function laterThan(
  { covered: [first] }: AllowedSpan,
  kept: readonly HistoryEntry[],
  { indexes }: CompressionPlan,
): readonly HistoryEntry[] {
  const start = first === undefined ? 0 : (indexes.get(first) ?? 0);
  return kept.filter((entry) => (indexes.get(entry) ?? 0) > start);
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
