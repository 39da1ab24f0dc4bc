import { countOption, isHistoryError } from "@agent-history/core";
import type { Compressor, EntryRun, HistoryView } from "@agent-history/core";

import type { ReductionProposal, ReductionStep, ReductionUnit } from "./reduction-step.ts";

/** Options of {@link replaceOldTurns}. */
export interface ReplaceOldTurnsOptions {
  /** Makes the summary. Where it fails or finds nothing to gain, `plan.skipped` says why, and the next steps go on without one. */
  readonly compressor: Compressor;
  /** The view that the entries are of. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** How many of the newest messages and exchanges of earlier turns stay as they are. Default 0. */
  readonly keepRecent?: number | undefined;
}

/**
 * Makes the step that puts one summary instead of earlier turns. Asks the compressor once for each cut: use `fitToWindowAsync`. The
 * plan carries the summary, so that a store may commit it.
 */
export function replaceOldTurns(options: ReplaceOldTurnsOptions): ReductionStep {
  const { compressor, view = "thread" } = options;
  const keepRecent = countOption("keepRecent", options.keepRecent ?? 0);
  return {
    name: "replace-old-turns",
    before: "shorten-old-messages",
    propose: async (units, { signal }) => {
      const earlier = units.filter(({ isOfThisTurn, isProtected, isDropped }) => {
        return !isOfThisTurn && !isProtected && !isDropped;
      });
      const recent = Math.max(0, earlier.length - keepRecent);
      // A turn of which something is recent stays whole.
      const edge = earlier[recent]?.turn;
      const old = earlier.slice(0, recent).filter(({ turn }) => turn !== edge);
      if (old.length === 0) return [];
      const entries = old.flatMap((item) => item.entries);
      try {
        const made = await compressor.compress(entries, { view, ...(signal && { signal }) });
        if (made.outcome !== "compressed") return [skip(compressor, made.reason)];
        const { summary, tokensBefore, tokensAfter } = made.compaction;
        const covered = coveredUnits(old, summary.covers ?? []);
        // Earlier steps may have left less of it than the compressor was given.
        const left = covered.reduce((sum, { tokens }) => sum + tokens, 0);
        if (tokensAfter >= Math.min(tokensBefore, left))
          return [skip(compressor, "its summary saves nothing")];
        const reason = `summarized by ${compressor.name}`;
        return [{ kind: "summarize", units: covered, summary, reason }];
      } catch (error) {
        return [skip(compressor, nameOf(error))];
      }
    },
  };
}

function skip({ name }: Compressor, reason: string): ReductionProposal {
  return { kind: "skip", reason: `no summary by ${name}: ${reason}` };
}

/** An error of other code may quote the conversation: only its name is reported. */
function nameOf(error: unknown): string {
  if (isHistoryError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

/** The items that lie wholly within the runs. */
function coveredUnits(
  items: readonly ReductionUnit[],
  runs: readonly EntryRun[],
): readonly ReductionUnit[] {
  const indexes = new Map(
    items.flatMap(({ entries }) => entries).map(({ id }, index) => [id, index]),
  );
  const ranges = runs.map(
    ({ from, to }) => [indexes.get(from) ?? Infinity, indexes.get(to) ?? -1] as const,
  );
  return items.filter(({ entries }) =>
    entries.every(({ id }) => {
      const index = indexes.get(id) ?? -1;
      return ranges.some(([from, to]) => from <= index && index <= to);
    }),
  );
}
