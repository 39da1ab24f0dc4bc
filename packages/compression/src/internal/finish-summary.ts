import type {
  Compaction,
  EntryRun,
  HistoryEntry,
  HistoryView,
  SummaryEntry,
  Trust,
} from "@agent-history/core";
import { HistoryError, summary } from "@agent-history/core";

import type { SummaryFacts } from "../compression-result.ts";
import { keepFacts } from "../gate/keep-facts.ts";
import type { CompressionPlan } from "./plan-compression.ts";
import type { Settings } from "./settings.ts";
import { frameSummary } from "./summary-frame.ts";

/** A summary that is written, and what it will stand for. */
export interface SummaryDraft {
  readonly text: string;
  readonly covered: readonly HistoryEntry[];
  readonly later: readonly HistoryEntry[];
  readonly tokens: number;
  /** Nothing is put back. */
  readonly isDropped: boolean;
  /** The cap on the entry. */
  readonly maxTokens: number;
  /** What of the cap is left for the text. */
  readonly maxTextTokens: number;
}

/** Puts back what matters and is missing, and makes the compaction. */
export function finishSummary(
  draft: SummaryDraft,
  { indexes, strategy }: Pick<CompressionPlan, "indexes" | "strategy">,
  settings: Settings,
): { readonly compaction: Compaction; readonly facts: SummaryFacts } {
  const { counter, view, options, tokensOf } = settings;
  const { covered, later, maxTokens, text } = draft;
  const trust = options.trust ?? leastTrust(covered);
  let room = draft.maxTextTokens;
  // The frame escapes what the gate appends, and two texts may count more together: then less is appended.
  for (let attempt = 0; attempt < 4; attempt++) {
    const gated = draft.isDropped
      ? { text, kept: [], appended: [], dropped: [] }
      : keepFacts({ covered, later, summary: text, maxTokens: room, counter });
    const content = frameSummary(gated.text);
    const excess = tokensOf(provisionalSummary(content, strategy, view)) - maxTokens;
    if (excess <= 0) {
      const { kept, appended, dropped } = gated;
      const covers = runsOf(covered, indexes);
      const entry = summary({ content, strategy, trust, view, covers }, sourcesOf(options));
      const standing = { ...entry, view };
      const tokensAfter = tokensOf(standing);
      return {
        compaction: { summary: standing, tokensBefore: draft.tokens, tokensAfter },
        facts: { kept, appended, dropped },
      };
    }
    room -= excess + SLACK;
  }
  throw new HistoryError(`Expected a summary of at most ${maxTokens} tokens; it has more.`, {
    code: "MODEL_FAILED",
  });
}

const SLACK = 8;

function sourcesOf({ newId, now }: Settings["options"]): {
  readonly newId?: () => string;
  readonly now?: () => number;
} {
  return { ...(newId && { newId }), ...(now && { now }) };
}

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
