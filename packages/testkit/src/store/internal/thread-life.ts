import type {
  EntryRun,
  HistoryEntry,
  HistoryQuery,
  HistoryStore,
  HistoryView,
  StateItem,
  SummaryEntry,
} from "@agent-history/core";
import { applyCompactions, isHistoryError } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";
import { memoryStore } from "@agent-history/store-kit";
import { expect } from "vitest";

import { outcomeOf, pagesOf } from "./ask-store.ts";
import { diceOf, RANDOM_VIEWS, randomQuery } from "./random-log.ts";
import type { Dice } from "./random-log.ts";

/** A summary that was committed. */
export type Overlay = SummaryEntry & {
  readonly view: HistoryView;
  readonly covers: readonly EntryRun[];
};

/** Handles on one store, each of which may be asked. */
export type Handles = readonly [HistoryStore, ...HistoryStore[]];

/** A thread, the same in memory, and what it must be. */
export interface Life {
  readonly handles: Handles;
  readonly reference: HistoryStore;
  readonly threadId: string;
  readonly dice: Dice;
  log: readonly HistoryEntry[];
  version: number;
  /** How long the log is with what was erased; as long as `log` where nothing was. */
  length?: number;
  overlays: readonly Overlay[];
  readonly sent: (readonly HistoryEntry[])[];
  /** The counts that are stored beside an entry by its id, by counter. */
  readonly counts: Map<string, ReadonlyMap<string, number>>;
  /** The revisions of views that were compacted, and how many suffixes were replaced. */
  readonly revisions: Map<HistoryView, number>;
  cuts: number;
  /** Whether it has metadata. */
  titled: boolean;
  readonly state: Map<string, Omit<StateItem, "key">>;
  /** The highest revision of state that was removed. */
  removed: number;
  /** For names that are used once. */
  names: number;
  /** How many forks lie between the first thread and this one. */
  readonly depth: number;
}

/** Begins a thread whose choices are the same for the same seed. */
export function newLife(handles: Handles, threadId: string, seed: number): Life {
  return lifeOf({ handles, reference: memoryStore(), threadId, dice: diceOf(seed) }, 0);
}

export function lifeOf(
  on: Pick<Life, "handles" | "reference" | "threadId" | "dice"> & Partial<Pick<Life, "counts">>,
  depth: number,
): Life {
  const unused = {
    log: [],
    overlays: [],
    sent: [],
    version: 0,
    cuts: 0,
    names: 0,
    removed: 0,
    titled: false,
  };
  return { counts: new Map(), ...on, ...unused, revisions: new Map(), state: new Map(), depth };
}

/** An entry that append takes: a summary without its view. */
export function inLog(entry: HistoryEntry, id: string): HistoryEntry {
  if (entry.type !== "summary") return { ...entry, id };
  const { view: _view, covers: _covers, ...fields } = entry;
  return { ...fields, id };
}

/** Does a verb in memory and to the store, and expects the same outcome: a value or a code. */
export async function both<Result>(
  { dice, reference, handles }: Life,
  what: unknown,
  verb: (store: HistoryStore) => Promise<Result>,
): Promise<Result | string> {
  const expected = await outcomeOf(verb(reference));
  const outcome = await outcomeOf(verb(dice.pick(handles)));
  expect({ what, outcome }).toEqual({ what, outcome: expected });
  return outcome;
}

export async function readViews(life: Life): Promise<void> {
  const { threadId, log, overlays } = life;
  for (const view of RANDOM_VIEWS) {
    const query = { clauses: [{}], view };
    const outcome = await both(life, query, (store) => store.read(threadId, { query }));
    expect(outcome).toMatchObject({ viewRevision: revisionOf(life, view) });
    const shown = applyCompactions([...log, ...overlays], view);
    expect(typeof outcome === "string" || outcome.entries).toEqual(shown);
  }
}

export async function readQueries(life: Life): Promise<void> {
  const { dice, threadId, log, overlays } = life;
  // Those of whom a page shows only a part are asked more.
  const times = log.length > 100 ? 15 : 5;
  for (let nth = 0; nth < times; nth += 1) {
    const query = randomQuery(dice, [...log, ...overlays]);
    const originals = dice.once(4);
    const outcome = await both(life, { query, originals }, (store) =>
      store.read(threadId, { query, originals }),
    );
    const all = originals ? log : applyCompactions([...log, ...overlays], query.view);
    const shown =
      typeof outcome === "string"
        ? // Where the entry was replaced before, the store knows more than the log says.
          outcome.replace("HISTORY_REWOUND", "NOT_FOUND")
        : { entries: outcome.entries, next: outcome.next };
    const expected = selected(all, query);
    expect({ query, originals, shown }).toEqual({ query, originals, shown: expected });
    if (typeof outcome === "string") continue;
    const { length = log.length, version } = life;
    const said = [outcome.version, outcome.entryCount, outcome.problems];
    expect(said).toEqual([version, length, []]);
    expect(outcome.tokens).toEqual(tokensOf(outcome.entries, life.counts));
    if (query.view !== undefined) expect(outcome.viewRevision).toBe(revisionOf(life, query.view));
  }
}

function selected(all: readonly HistoryEntry[], query: HistoryQuery): string | object {
  try {
    const { entries, next } = selectPage(all, query);
    return { entries, next };
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

/** What is stored beside entries, by the counters that counted one of them. */
function tokensOf(entries: readonly HistoryEntry[], counts: Life["counts"]): object {
  const names = new Set(entries.flatMap(({ id }) => [...(counts.get(id)?.keys() ?? [])]));
  return new Map(
    [...names].map((name) => [name, entries.map(({ id }) => counts.get(id)?.get(name))]),
  );
}

/** Pages give every entry once. */
export async function readPages({ dice, handles, threadId, log, overlays }: Life): Promise<void> {
  const { before: _, after: __, ...asked } = randomQuery(dice, [...log, ...overlays]);
  const limits = { maxBytes: Infinity, maxEntries: Infinity };
  const query = { ...asked, ...limits, wholeExchanges: false };
  const whole = await dice.pick(handles).read(threadId, { query });
  const maxEntries = 1 + dice.below(9);
  const pages = await pagesOf(async ({ cursor }) => {
    const page = { ...query, maxEntries, ...(cursor !== undefined && { before: cursor }) };
    const { entries, next } = await dice.pick(handles).read(threadId, { query: page });
    return [entries.map(({ id }) => id), next];
  });
  expect({ query, ids: pages.toReversed().flat() }).toEqual({
    query,
    ids: whole.entries.map(({ id }) => id),
  });
}

export function revisionOf({ revisions, cuts }: Life, view: HistoryView): number {
  return revisions.get(view) ?? cuts;
}
