import type {
  EntryRun,
  ExpectedVersion,
  HistoryEntry,
  HistoryQuery,
  HistoryStore,
  HistoryView,
  JsonValue,
  SummaryEntry,
  ThreadMetadata,
} from "@agent-history/core";
import { applyCompactions, isHistoryError, isInView, isOverlay } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { asPlainJson, pagesOf, withTurnIds } from "./ask-store.ts";
import { diceOf, RANDOM_VIEWS, randomLog, randomQuery } from "./random-log.ts";
import type { Dice } from "./random-log.ts";
import type { StoreTest } from "./store-test.ts";

/**
 * The fuzz: random logs with everything that may happen to a thread. Each read is compared with what core says of the whole log; each outcome, in versions and codes, with that in
 * memory.
 */
export function describeRandomLogs(it: StoreTest, runs: number): void {
  describe("a log of any shape", () => {
    it("reads as core selects from the whole of it, through batches, compactions, expansions, replacements and forks, by two handles", async ({
      store,
      another,
    }) => {
      const handles = [store, await another()] as const;
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.noShrink(fc.integer()),
          // Longer ones too: a store that reads in pages has them cross every boundary.
          fc.oneof(
            { weight: 3, arbitrary: fc.integer({ min: 1, max: 120 }) },
            { weight: 1, arbitrary: fc.integer({ min: 200, max: 500 }) },
          ),
          async (seed, length) => {
            const life = newLife(handles, `life-${(nth += 1)}`, seed);
            await live(life, length);
            if (life.dice.once(2)) await unwind(life);
            if (life.dice.once(3)) await erase(life);
            if (life.dice.once(4)) await end(life);
          },
        ),
        // Lives in which a read was wrong once.
        { numRuns: runs, examples: [[1_825_164_728, 403]] },
      );
    });
  });
}

/** A summary that was committed. */
type Overlay = SummaryEntry & {
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
  /** For names that are used once. */
  names: number;
  readonly isFork: boolean;
}

/** Begins a thread whose choices are the same for the same seed. */
export function newLife(handles: Handles, threadId: string, seed: number): Life {
  return lifeOf({ handles, reference: memoryStore(), threadId, dice: diceOf(seed) }, false);
}

function lifeOf(
  on: Pick<Life, "handles" | "reference" | "threadId" | "dice"> & Partial<Pick<Life, "counts">>,
  isFork: boolean,
): Life {
  const unused = { log: [], overlays: [], sent: [], version: 0, cuts: 0, names: 0 };
  return { counts: new Map(), ...on, ...unused, revisions: new Map(), isFork };
}

/** Writes a log of this length, and does everything else to it meanwhile. */
export async function live(life: Life, length: number): Promise<void> {
  const { dice } = life;
  const prefix = life.isFork ? "f" : "e";
  const script = [...oddEntries(life), ...randomLog(dice, length, prefix)];
  let written = 0;
  while (written < script.length) {
    const most = dice.once(4) || length > 120 ? 40 : 5;
    const batch = script.slice(written, written + 1 + dice.below(most));
    written += batch.length;
    await append(life, batch);
    for (const [times, verb] of VERBS) if (dice.once(times)) await verb(life);
  }
  if (!life.isFork && dice.once(2)) await fork(life);
  await read(life);
  const summaries = await both(life, "summaries", (store) => store.listSummaries(life.threadId));
  expect(summaries).toEqual(life.overlays);
  await readViews(life);
  for (const store of life.handles) expect(await store.verify(life.threadId)).toEqual([]);
}

const VERBS: readonly (readonly [once: number, verb: (life: Life) => Promise<void>])[] = [
  [6, retry],
  [4, async (life) => compact(life)],
  [8, expand],
  [15, replace],
  [8, setState],
  [10, setMetadata],
  [4, read],
  [12, readPages],
];

/** Entries with ids, agents, phases and texts that go wrong elsewhere. */
function oddEntries({ dice, isFork }: Life): readonly HistoryEntry[] {
  const drawn = fc.sample(arbitraryEntry(), { seed: dice.below(1e9), numRuns: dice.below(5) });
  return asPlainJson(drawn.map((entry, nth) => inLog(entry, `${isFork ? "g" : "o"}${nth}`)));
}

/** An entry that append takes: a summary without its view. */
export function inLog(entry: HistoryEntry, id: string): HistoryEntry {
  if (entry.type !== "summary") return { ...entry, id };
  const { view: _view, covers: _covers, ...fields } = entry;
  return { ...fields, id };
}

/** Does a verb in memory and to the store, and expects the same outcome: a value or a code. */
async function both<Result>(
  { dice, reference, handles }: Life,
  what: unknown,
  verb: (store: HistoryStore) => Promise<Result>,
): Promise<Result | string> {
  const expected = await outcomeOf(verb(reference));
  const outcome = await outcomeOf(verb(dice.pick(handles)));
  expect({ what, outcome }).toEqual({ what, outcome: expected });
  return outcome;
}

async function outcomeOf<Result>(work: Promise<Result>): Promise<Result | string> {
  try {
    return await work;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

async function append(life: Life, batch: readonly HistoryEntry[]): Promise<void> {
  const { dice, threadId, counts } = life;
  const counters = ["n", "__proto__"].filter(() => dice.once(3));
  const tokens = new Map(counters.map((name) => [name, batch.map(() => dice.below(99))]));
  const at = async (expectedVersion: ExpectedVersion): Promise<unknown> =>
    both(life, ["append", expectedVersion, batch], (store) =>
      store.append(threadId, batch, { expectedVersion, tokens }),
    );
  const expected = dice.once(8) ? dice.pick<ExpectedVersion>(["none", "exists", 0, 3]) : "any";
  const outcome = await at(expected);
  const appended = outcome === "VERSION_CONFLICT" ? await at(life.version) : outcome;
  life.version += batch.length;
  expect(appended).toEqual({ version: life.version, duplicate: false });
  life.log = withTurnIds([...life.log, ...batch]);
  life.sent.push(batch);
  for (const [nth, { id }] of batch.entries())
    counts.set(id, new Map(counters.map((name) => [name, tokens.get(name)?.[nth] ?? 0])));
}

/** What was sent before, whole or in part, also of what was replaced since: nothing is written. */
async function retry(life: Life): Promise<void> {
  const { dice, threadId, sent, log } = life;
  // As they were sent, or as they are read.
  const known = dice.pickOr([...sent, log.slice(dice.below(log.length))], []).slice(dice.below(2));
  const more = dice.once(3) ? randomLog(dice, 1, `x${(life.names += 1)}-`) : [];
  if (known.length === 0) return;
  const expectedVersion = dice.pick<ExpectedVersion>(["none", "exists", "any", 0, 3]);
  const outcome = await both(life, ["retry", known, more], (store) =>
    store.append(threadId, [...known.slice(0, 499), ...more], { expectedVersion }),
  );
  expect(outcome).toEqual(
    more.length > 0 ? "DUPLICATE_ID" : { version: life.version, duplicate: true },
  );
}

async function compact(life: Life, view = life.dice.pick(RANDOM_VIEWS)): Promise<void> {
  const { dice, threadId } = life;
  const members = applyCompactions([...life.log, ...life.overlays], view).filter(
    (entry) => isInView(entry, view) || isOverlay(entry),
  );
  if (members.length === 0) return;
  // One run or two, mostly from the beginning.
  const places = Array.from({ length: dice.once(4) ? 4 : 2 }, () => dice.below(members.length));
  const [first = 0, last = 0, ...second] = places.toSorted((one, other) => one - other);
  const ends = [dice.once(3) ? first : 0, last, ...second].flatMap((at) => members[at] ?? []);
  const ids = ends.map(({ id }) => id);
  const covers = [0, 2].flatMap((at) => {
    const [from, to] = ids.slice(at, at + 2);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  const fields = { createdAtMs: 0, content: "short", strategy: "whole", trust: "user" } as const;
  const summary = { type: "summary", id: `z${(life.names += 1)}`, ...fields } as const;
  const overlay = { ...summary, view, covers };
  const overlays = [...life.overlays, overlay];
  // The ends of a run are what a summary may cover, and runs do not meet.
  const stands =
    ids[1] !== ids[2] &&
    ends.every(({ type, pinned }) => type !== "system_message" && pinned !== true);
  const revision = revisionOf(life, view);
  const isStale = dice.once(8);
  const commit = { view, summary, covers, expectedViewRevision: revision + (isStale ? 1 : 0) };
  const send = async (): Promise<unknown> =>
    both(life, commit, (store) => store.commitCompaction(threadId, commit));
  const outcome = await send();
  if (!isStale) expect(outcome).toEqual(stands ? { viewRevision: revision + 1 } : "NOT_FOUND");
  if (!stands || isStale) return;
  if (dice.once(4)) expect(await send()).toEqual(outcome);
  life.overlays = overlays;
  life.revisions.set(view, revision + 1);
}

async function expand(life: Life): Promise<void> {
  const { dice, threadId } = life;
  const overlay = dice.pickOr<Overlay | undefined>(life.overlays, undefined);
  if (overlay === undefined) return;
  const { view, id } = overlay;
  const isShown = applyCompactions([...life.log, ...life.overlays], view).includes(overlay);
  const revision = revisionOf(life, view) + 1;
  const outcome = await both(life, ["expand", id], (store) => store.expand(threadId, id));
  expect(outcome).toEqual(isShown ? { viewRevision: revision } : "NOT_FOUND");
  if (!isShown) return;
  life.overlays = life.overlays.filter((one) => one !== overlay);
  life.revisions.set(view, revision);
}

/** Adds summaries of summaries, and expands all, in any order, until each view shows the log as it was (L11). */
async function unwind(life: Life): Promise<void> {
  const view = life.dice.pick(RANDOM_VIEWS);
  for (let layer = 0; layer < 5; layer += 1) await compact(life, view);
  while (life.overlays.length > 0) {
    const { length } = life.overlays;
    await expand(life);
    if (life.overlays.length < length) await readViews(life);
  }
  expect(await life.reference.listSummaries(life.threadId)).toEqual([]);
}

async function readViews(life: Life): Promise<void> {
  const { threadId, log, overlays } = life;
  for (const view of RANDOM_VIEWS) {
    const query = { clauses: [{}], view };
    const outcome = await both(life, query, (store) => store.read(threadId, { query }));
    expect(outcome).toMatchObject({ viewRevision: revisionOf(life, view) });
    const shown = applyCompactions([...log, ...overlays], view);
    expect(typeof outcome === "string" || outcome.entries).toEqual(shown);
  }
}

async function replace(life: Life): Promise<void> {
  const { dice, threadId, log } = life;
  const position = dice.below(log.length);
  const from = log[position]?.id;
  if (from === undefined) return;
  const operationId = `o${(life.names += 1)}`;
  const replacement = dice.once(2) ? randomLog(dice, dice.below(4), `${operationId}-`) : [];
  const operation = { from, expectedVersion: "any", replacement, operationId } as const;
  const send = async (change: object): Promise<unknown> =>
    both(life, { ...operation, ...change }, (store) =>
      store.replaceSuffix(threadId, { ...operation, ...change }),
    );
  expect(await send({ expectedVersion: log.length + 1000 })).toBe("VERSION_CONFLICT");
  const outcome = await send({});
  life.version += 1 + replacement.length;
  expect(outcome).toEqual({ version: life.version });
  if (dice.once(3)) expect(await send({ expectedVersion: 0 })).toEqual(outcome);
  if (dice.once(3)) expect(await send({ from: "else" })).toBe("DUPLICATE_ID");
  life.sent.push(replacement);
  life.cuts += 1;
  for (const [view, revision] of life.revisions) life.revisions.set(view, revision + 1);
  const kept = log.slice(0, position);
  life.overlays = standing(life.overlays, kept);
  life.log = withTurnIds([...kept, ...replacement]);
}

async function setState(life: Life): Promise<void> {
  const { dice, threadId, reference } = life;
  const key = dice.pick(["a", "__proto__"]);
  const value = dice.pick<JsonValue | undefined>([undefined, null, { n: life.names }, [0, "x"]]);
  const current = (await reference.getState(threadId, key))?.revision ?? 0;
  const expectedRevision = dice.once(3) ? dice.below(4) : current;
  await both(life, ["state", key, value, expectedRevision], async (store) => ({
    written: await outcomeOf(store.setState(threadId, key, value, { expectedRevision })),
    read: await store.getState(threadId, key),
    all: (await store.listState(threadId)).items.toSorted((one, other) =>
      one.key < other.key ? -1 : 1,
    ),
  }));
}

async function setMetadata(life: Life): Promise<void> {
  const { dice, threadId } = life;
  const user = `ada of ${threadId}`;
  const change = {
    ...(dice.once(2) && { title: dice.pick([null, "x", "👍"]) }),
    ...(dice.once(2) && { user: dice.pick([null, user, `${user}\u0000`]) }),
    ...(dice.once(2) && { tags: dice.pick([[], ["y z", "x"]]) }),
  };
  await both(life, change, async (store) => [
    withoutTimes(await store.setMetadata(threadId, change)),
    (await store.list({ user, limit: Infinity })).threads.map((one) => one.threadId).toSorted(),
    (await store.list({ prefix: threadId, limit: Infinity })).threads
      .filter((one) => one.threadId === threadId)
      .map(withoutTimes),
  ]);
}

/** Two stores have clocks of their own. */
function withoutTimes({ createdAtMs: _, updatedAtMs: __, ...others }: ThreadMetadata): object {
  return others;
}

async function read(life: Life): Promise<void> {
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
async function readPages({ dice, handles, threadId, log, overlays }: Life): Promise<void> {
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

async function fork(life: Life): Promise<void> {
  const { dice, threadId, log } = life;
  const position = dice.below(log.length);
  const at = log[position]?.id;
  if (at === undefined) return;
  await both(life, ["fork", at], (store) => store.fork(threadId, { at, as: "f" }));
  const { handles, reference, counts } = life;
  const shared = { handles, reference, dice, counts, threadId: `${threadId}/f` };
  const own = { ...lifeOf(shared, true), names: life.names };
  own.log = log.slice(0, position + 1);
  own.version = own.log.length;
  own.overlays = standing(life.overlays, own.log);
  for (const { view } of own.overlays) own.revisions.set(view, 0);
  await live(own, 1 + dice.below(20));
  await compact(own);
  await replace(own);
  await read(own);
}

/** What is left is read as if the rest had never been there, whichever rows that takes. */
async function erase(life: Life): Promise<void> {
  const { dice, threadId, reference, handles } = life;
  const once = dice.pick([2, 8, 30]);
  const ids = life.log.filter(() => dice.once(once)).map(({ id }) => id);
  await both(life, ids, async (one) => {
    const { threads, entries, summaries } = await one.eraseEntries(threadId, ids.slice(0, 500));
    return { threads, entries, summaries };
  });
  const rest = life.log.flatMap(({ id }) => (ids.slice(0, 500).includes(id) ? [] : [id]));
  const { entries } = await reference.read(threadId, { originals: true });
  expect(entries.map(({ id }) => id)).toEqual(rest);
  if (dice.once(2)) {
    const sweep = { maxEntries: dice.below(life.log.length), limit: Infinity };
    for (const one of [reference, dice.pick(handles)]) await one.sweep(sweep);
  }
  const left = await reference.read(threadId, { originals: true });
  const known = new Set(left.entries.map(({ id }) => id));
  life.log = life.log.filter(({ id }) => known.has(id));
  const summaries = await reference.listSummaries(threadId);
  life.overlays = life.overlays.filter(({ id }) => summaries.some((one) => one.id === id));
  for (const view of RANDOM_VIEWS) {
    const query = { clauses: [{}], view };
    const { viewRevision } = await reference.read(threadId, { query });
    life.revisions.set(view, viewRevision);
  }
  life.length = left.entryCount;
  life.version = left.version;
  await read(life);
  await both(life, "summaries left", (one) => one.listSummaries(threadId));
}

/** A deleted thread stays deleted; its fork lives on. */
async function end(life: Life): Promise<void> {
  const { threadId } = life;
  await both(life, "delete", async (store) => {
    const { threads, entries, summaries, states } = await store.delete(threadId);
    return { threads, entries, summaries, states };
  });
  await both(life, "after", (store) => store.read(threadId));
  await both(life, "fork", (store) => store.read(`${threadId}/f`));
}

function revisionOf({ revisions, cuts }: Life, view: HistoryView): number {
  return revisions.get(view) ?? cuts;
}

/** The summaries that cover none but entries of a log, and summaries of which that holds. */
function standing(overlays: readonly Overlay[], log: readonly HistoryEntry[]): readonly Overlay[] {
  const known = new Set(log.map(({ id }) => id));
  return overlays.filter(({ id, covers }) => {
    const stands = covers.every(({ from, to }) => known.has(from) && known.has(to));
    if (stands) known.add(id);
    return stands;
  });
}
