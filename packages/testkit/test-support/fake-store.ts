import type {
  EntryRun,
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  StoredEntryProblem,
  SummaryEntry,
} from "@agent-history/core";
import type {
  Answer,
  CompactionChange,
  EntryRow,
  Fetch,
  ForkedIndex,
  ReadOutcome,
  ReferenceRow,
  StoredSummary,
} from "@agent-history/store-kit";
import {
  commitProgram,
  expandProgram,
  factKeys,
  forkProgram,
  indexBatch,
  prepareBatch,
  readProgram,
  runProgram,
  verifyProgram,
} from "@agent-history/store-kit";

/** What a read cost. */
export interface ReadCost {
  /** Rounds that ask for something. */
  rounds: number;
  /** Rounds that ask for nothing, in which other work may run. */
  pauses: number;
  /** Entries and summaries whose text was fetched. */
  entries: number;
  /** Rows of references. */
  rows: number;
}

/** One thread of a store on the kit, in memory: plain maps, and counts of what is fetched. */
export interface FakeThread {
  readonly append: (entries: readonly HistoryEntry[]) => void;
  readonly read: (options: {
    readonly query?: HistoryQuery;
    readonly originals?: boolean;
    /** Called after each round: others may write meanwhile. */
    readonly afterRound?: () => void;
    /** Called after each answer of a round: later ones may be newer. */
    readonly afterAnswer?: () => void;
  }) => ReadOutcome & { readonly cost: ReadCost };
  readonly commit: (view: HistoryView, summary: SummaryEntry, covers: readonly EntryRun[]) => void;
  readonly expand: (summaryId: string) => void;
  readonly fork: (at: string) => FakeThread;
  readonly verify: () => readonly StoredEntryProblem[];
  readonly viewRevision: (view: HistoryView) => number;
  readonly tables: FakeTables;
}

/** What a thread is kept in. */
export interface FakeTables {
  head: string | undefined;
  readonly log: EntryRow[];
  readonly ids: Map<string, number>;
  readonly facts: Map<string, string>;
  readonly streams: Map<string, ReferenceRow[]>;
  overlays: StoredSummary[];
  readonly views: Map<HistoryView, { readonly state: string; readonly viewRevision: number }>;
}

/** Begins an empty thread, or one on given tables. */
export function fakeThread(tables: FakeTables = newTables()): FakeThread {
  return {
    tables,
    append: (entries) => append(tables, entries),
    read: (options) => {
      const cost: ReadCost = { rounds: 0, pauses: 0, entries: 0, rows: 0 };
      const program = readProgram(options);
      let step = program.next([]);
      while (step.done !== true) {
        cost[step.value.length === 0 ? "pauses" : "rounds"] += 1;
        const answers = step.value.map((fetch) => {
          const given = counted(cost, answer(tables, fetch));
          options.afterAnswer?.();
          return given;
        });
        options.afterRound?.();
        step = program.next(answers);
      }
      return { ...step.value, cost };
    },
    commit: (view, summary, covers) => {
      const expectedViewRevision = tables.views.get(view)?.viewRevision ?? 0;
      const program = commitProgram({ view, summary, covers, expectedViewRevision });
      const change = runProgram(program, (fetch) => answer(tables, fetch));
      if (change.kind === "change") write(tables, change);
    },
    expand: (summaryId) => {
      write(
        tables,
        runProgram(expandProgram({ summaryId }), (fetch) => answer(tables, fetch)),
      );
    },
    fork: (at) => {
      const index = runProgram(forkProgram({ at }), (fetch) => answer(tables, fetch));
      return fakeThread(forkedTables(tables, index));
    },
    verify: () => runProgram(verifyProgram(), (fetch) => answer(tables, fetch)),
    viewRevision: (view) => tables.views.get(view)?.viewRevision ?? 0,
  };
}

function newTables(): FakeTables {
  return {
    head: undefined,
    log: [],
    ids: new Map(),
    facts: new Map(),
    streams: new Map(),
    overlays: [],
    views: new Map(),
  };
}

function append(tables: FakeTables, entries: readonly HistoryEntry[]): void {
  const batch = prepareBatch(entries);
  // Exactly the facts that are asked for: more would hide a key that is missing.
  const facts = new Map<string, string>();
  for (const key of factKeys(batch)) {
    const fact = tables.facts.get(key);
    if (fact !== undefined) facts.set(key, fact);
  }
  const indexed = indexBatch({ head: tables.head, facts, batch });
  for (const [index, { entry, json, tokens }] of batch.entries.entries()) {
    const position = indexed.position + index;
    tables.log.push({ position, json, ...(tokens === undefined ? {} : { tokens }) });
    tables.ids.set(entry.id, position);
  }
  tables.head = indexed.head;
  for (const [key, fact] of indexed.facts) tables.facts.set(key, fact);
  for (const [stream, rows] of indexed.references) {
    const known = tables.streams.get(stream) ?? [];
    tables.streams.set(stream, known);
    for (const row of rows) {
      if ((known.at(-1)?.key ?? 0) >= row.key) throw new Error("A key does not rise");
      known.push(row);
    }
  }
}

function write(tables: FakeTables, change: CompactionChange): void {
  const { view, state, viewRevision, add, remove } = change;
  tables.views.set(view, { state, viewRevision: viewRevision + 1 });
  tables.overlays = tables.overlays.filter(({ id }) => id !== remove);
  if (add !== undefined) tables.overlays.push(add);
}

function forkedTables(parent: FakeTables, index: ForkedIndex): FakeTables {
  const log = parent.log.slice(0, index.version);
  return {
    head: index.head,
    log,
    ids: new Map([...parent.ids].filter(([, position]) => position < index.version)),
    facts: new Map(index.facts),
    streams: new Map([...index.references].map(([stream, rows]) => [stream, [...rows]])),
    overlays: [...index.overlays],
    views: new Map([...index.states].map(([view, state]) => [view, { state, viewRevision: 0 }])),
  };
}

function answer(tables: FakeTables, fetch: Fetch): Answer {
  switch (fetch.kind) {
    case "thread": {
      const view = fetch.view === undefined ? undefined : tables.views.get(fetch.view);
      return {
        kind: "thread",
        head: tables.head,
        state: view?.state,
        viewRevision: view?.viewRevision ?? 0,
      };
    }
    case "facts":
      return { kind: "facts", facts: found(tables.facts, fetch.keys) };
    case "positions":
      return { kind: "positions", positions: found(tables.ids, fetch.ids) };
    case "references": {
      const { stream, after = 0, before = Infinity, limit } = fetch;
      const all = (tables.streams.get(stream) ?? []).filter(
        ({ key }) => key > after && key < before,
      );
      return { kind: "references", rows: all.slice(-limit).toReversed() };
    }
    case "entries":
      return { kind: "entries", rows: fetch.positions.flatMap((at) => tables.log[at] ?? []) };
    case "log":
      return { kind: "entries", rows: tables.log.slice(fetch.from, fetch.to) };
    case "summaries": {
      const ids = new Set(fetch.ids);
      return { kind: "summaries", summaries: tables.overlays.filter(({ id }) => ids.has(id)) };
    }
    case "overlays": {
      const { view } = fetch;
      const summaries = tables.overlays.filter((one) => view === undefined || one.view === view);
      return { kind: "summaries", summaries };
    }
    // Nothing is replaced in it.
    case "replaced":
      return { kind: "replaced", replaced: new Map() };
    case "operation":
      return { kind: "operation", operation: undefined };
  }
}

function found<Value>(
  values: ReadonlyMap<string, Value>,
  keys: readonly string[],
): ReadonlyMap<string, Value> {
  const wanted = new Set(keys);
  return new Map([...values].filter(([key]) => wanted.has(key)));
}

function counted(cost: ReadCost, given: Answer): Answer {
  if (given.kind === "entries") cost.entries += given.rows.length;
  if (given.kind === "summaries") cost.entries += given.summaries.length;
  if (given.kind === "references") cost.rows += given.rows.length;
  return given;
}
