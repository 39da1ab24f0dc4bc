import type {
  Compaction,
  EntryRun,
  HistoryEntry,
  HistoryView,
  SummaryEntry,
  SummaryPart,
  Trust,
} from "@agent-history/core";
import { HistoryError, summary } from "@agent-history/core";

import type { AllowedSpan } from "./allowed-spans.ts";
import type { CompressionPlan } from "./plan-compression.ts";
import type { Settings } from "./settings.ts";
import type { SummaryDraft } from "./summary-draft.ts";
import { frameSummary } from "./summary-frame.ts";

/** What a summary will stand for, and how long it may be. */
export interface SummarySize {
  readonly span: AllowedSpan;
  /** The cap on the entry. */
  readonly maxTokens: number;
  /** What of the cap is left for the text. */
  readonly maxTextTokens: number;
}

/** A compaction, the parts in its text and those that found no room there. */
export interface FinishedSummary {
  readonly compaction: Compaction;
  readonly shown: readonly SummaryPart[];
  readonly dropped: readonly SummaryPart[];
}

/** Writes the text of a draft and makes the compaction; none where there is nothing to say. */
export function finishSummary(
  draft: SummaryDraft,
  { span, maxTokens, maxTextTokens }: SummarySize,
  { indexes, strategy }: Pick<CompressionPlan, "indexes" | "strategy">,
  settings: Settings,
): FinishedSummary | undefined {
  const { view, options, tokensOf } = settings;
  const trust = options.trust ?? leastTrust(span.covered);
  let room = maxTextTokens;
  // The frame and the text may count more together than apart: then less is written.
  for (let attempt = 0; attempt < 4 && room > 0; attempt++) {
    const { text, dropped } = draft.write(room);
    if (text === "") return undefined;
    const content = frameSummary(text);
    const excess = tokensOf(provisionalSummary(content, strategy, view)) - maxTokens;
    if (excess <= 0) {
      const covers = runsOf(span.covered, indexes);
      const { parts } = draft;
      const { newId, now } = options;
      const sources = { ...(newId && { newId }), ...(now && { now }) };
      const entry = summary({ content, strategy, trust, view, covers, parts }, sources);
      const standing = { ...entry, view };
      const sizes = { tokensBefore: span.tokens, tokensAfter: tokensOf(standing) };
      const gone = new Set(dropped);
      const shown = parts.filter((part) => !gone.has(part));
      return { compaction: { summary: standing, ...sizes }, shown, dropped };
    }
    room -= excess + SLACK;
  }
  throw new HistoryError(`Expected a summary of at most ${maxTokens} tokens; it has more.`, {
    code: "MODEL_FAILED",
  });
}

const SLACK = 8;

/** A summary to count, before it has an id. */
export function provisionalSummary(
  content: string,
  strategy: string,
  view: HistoryView,
): SummaryEntry {
  return { type: "summary", id: "", createdAtMs: 0, content, strategy, trust: "user", view };
}

/** Returns the trust of a summary: that of the least trusted of its sources, and never `system` by itself. */
function leastTrust(entries: readonly HistoryEntry[]): Trust {
  return entries.some((entry) => trustOf(entry) === "tool") ? "tool" : "user";
}

function trustOf(entry: HistoryEntry): Trust {
  switch (entry.type) {
    case "summary":
      return entry.trust;
    case "memory":
      return entry.trust ?? "user";
    case "user_message":
    case "assistant_message":
    case "task":
      return "user";
    default:
      // What a tool said, and what agents and uploads say, who may quote one.
      return "tool";
  }
}

/**
 * Returns the runs of a view's entries that make up what is covered, in order.
 *
 * @param indexes - Where each of the view's entries stands among them.
 */
function runsOf(
  covered: readonly HistoryEntry[],
  indexes: ReadonlyMap<HistoryEntry, number>,
): readonly EntryRun[] {
  const indexOf = (entry: HistoryEntry): number => indexes.get(entry) ?? -1;
  const runs: { from: string; to: string }[] = [];
  let next = -1;
  for (const entry of covered.toSorted((one, other) => indexOf(one) - indexOf(other))) {
    const last = runs.at(-1);
    if (indexOf(entry) === next && last !== undefined) last.to = entry.id;
    else runs.push({ from: entry.id, to: entry.id });
    next = indexOf(entry) + 1;
  }
  return runs;
}
