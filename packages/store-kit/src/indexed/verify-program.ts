import type { HistoryView, StoredEntryProblem } from "@agent-history/core";

import { answered, fetchRound } from "./fetch-round.ts";
import { deriveStates } from "./fork-program.ts";
import { versionOf } from "./index-batch.ts";
import { compareIndex, readStates } from "./index-differences.ts";
import type { IndexDifferences } from "./index-differences.ts";
import { positionsById, reindexLog } from "./reindex-log.ts";
import type { DerivedIndex } from "./reindex-log.ts";
import { replacementsIn, withReplacements } from "./replaced-entries.ts";
import type { StoredSummary, StoreProgram } from "./store-program.ts";

/** The index of a thread as its log says, and where the one that is stored is another. */
export interface IndexRepair {
  readonly problems: IndexDifferences["problems"];
  /** To be written, where the thread still has the head `base`. Missing where rows of the log cannot be read. */
  readonly repair?: {
    readonly base: string | undefined;
    readonly head: string;
    readonly index: DerivedIndex;
    readonly differences: IndexDifferences;
    readonly summaries: readonly StoredSummary[];
    /** How many suffixes were replaced. */
    readonly replacements: number;
    /** States of the views that have had summaries. */
    readonly states: ReadonlyMap<HistoryView, string>;
  };
}

/** Derives a thread's index from its log once more, and tells what differs and what cannot be read. Linear, in pages. */
export function* verifyProgram(): StoreProgram<readonly StoredEntryProblem[]> {
  const { problems } = yield* repairProgram();
  return problems;
}

/** The same, with what repairs it. */
export function* repairProgram(): StoreProgram<IndexRepair> {
  const [threadAnswer, overlaysAnswer] = yield* fetchRound([
    { kind: "thread" },
    { kind: "overlays" },
  ]);
  const base = answered("thread", threadAnswer).head;
  const { summaries } = answered("summaries", overlaysAnswer);
  const version = versionOf(base);
  const index = yield* reindexLog(version);
  // What cannot be read has no index to compare with.
  if (index.problems.length > 0) return { problems: index.problems };
  const stored = yield* readStates(index);
  const views = new Set([...stored.keys(), ...summaries.map(({ view }) => view)]);
  const positions = views.size === 0 ? new Map() : yield* positionsById(index);
  const states = deriveStates(summaries, index, positions, views);
  const storedIndex = { head: base, states: stored };
  const differences = yield* compareIndex(storedIndex, { version, index, states });
  const { problems } = differences;
  const replaced = replacementsIn(base);
  const head = replaced.count === 0 ? index.head : withReplacements(index.head, replaced);
  const written = [...states].map(([view, state]) => [view, JSON.stringify(state)] as const);
  return {
    problems,
    repair: {
      base,
      head: head ?? "",
      index,
      differences,
      summaries,
      replacements: replaced.count,
      states: new Map(written),
    },
  };
}
