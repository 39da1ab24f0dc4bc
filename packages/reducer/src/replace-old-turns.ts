import { countOption, isHistoryError } from "@agent-history/core";
import type { Compressor, EntryRun, HistoryEntry, HistoryView } from "@agent-history/core";

import type { ReductionProposal, ReductionStep } from "./reduction-step.ts";

/** Options of {@link replaceOldTurns}. */
export interface ReplaceOldTurnsOptions {
  /** Writes the summary. If it fails or saves nothing, `plan.skipped` contains the reason, and the next steps run without a summary. */
  readonly compressor: Compressor;
  /** The view that the entries belong to. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** How many of the newest messages and exchanges of earlier turns stay unchanged. Default 0. */
  readonly keepRecent?: number | undefined;
}

/**
 * Creates a step that replaces earlier turns, and its summary of an earlier cut, by one summary. Calls the compressor once per cut; use it with `fitToWindowAsync`. The
 * plan contains the summary, so that a store can commit it.
 */
export function replaceOldTurns(options: ReplaceOldTurnsOptions): ReductionStep {
  const { compressor, view = "thread" } = options;
  const keepRecent = countOption("keepRecent", options.keepRecent ?? 0);
  return {
    name: "replace-old-turns",
    before: "shorten-old-messages",
    propose: async (units, { summaries, signal }) => {
      const earlier = units.filter(({ isOfThisTurn, isProtected, isDropped }) => {
        return !isOfThisTurn && !isProtected && !isDropped;
      });
      const recent = Math.max(0, earlier.length - keepRecent);
      // A turn with a recent unit is kept whole.
      const edge = earlier[recent]?.turn;
      const old = earlier.slice(0, recent).filter(({ turn }) => turn !== edge);
      if (old.length === 0) return [];
      const entries = [...summaries, ...old.flatMap((item) => item.entries)];
      try {
        const made = await compressor.compress(entries, { view, ...(signal && { signal }) });
        if (made.outcome !== "compressed") return [skip(compressor, made.reason)];
        const { summary, tokensBefore, tokensAfter } = made.compaction;
        const isCovered = coverOf(entries, summary.covers ?? []);
        const covered = old.filter((unit) => unit.entries.every(isCovered));
        const replaces = summaries.filter(isCovered);
        // Earlier steps may have left fewer tokens than the compressor was given.
        const left = covered.reduce((sum, { tokens }) => sum + tokens, 0);
        if (tokensAfter >= Math.min(tokensBefore, left))
          return [skip(compressor, "its summary would save nothing")];
        const reason = `summarized by ${compressor.name}`;
        return [{ kind: "summarize", units: covered, summary, replaces, reason }];
      } catch (error) {
        return [skip(compressor, nameOf(error))];
      }
    },
  };
}

function skip({ name }: Compressor, reason: string): ReductionProposal {
  return { kind: "skip", reason: `no summary by ${name}: ${reason}` };
}

/** Errors of other code may quote the conversation, so only their name is reported. */
function nameOf(error: unknown): string {
  if (isHistoryError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

/** Returns a test for whether an entry is within the runs. */
function coverOf(
  entries: readonly HistoryEntry[],
  runs: readonly EntryRun[],
): (entry: HistoryEntry) => boolean {
  const indexes = new Map(entries.map(({ id }, index) => [id, index]));
  const ranges = runs.map(
    ({ from, to }) => [indexes.get(from) ?? Infinity, indexes.get(to) ?? -1] as const,
  );
  return ({ id }) => {
    const index = indexes.get(id) ?? -1;
    return ranges.some(([from, to]) => from <= index && index <= to);
  };
}
