import type { ExpectedVersion, HistoryEntry, JsonValue, ThreadMetadata } from "@agent-history/core";
import { applyCompactions, isInView, isOverlay } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { asPlainJson, withTurnIds } from "./ask-store.ts";
import { RANDOM_VIEWS, randomLog } from "./random-log.ts";
import type { StoreTest } from "./store-test.ts";
import {
  both,
  inLog,
  lifeOf,
  newLife,
  readPages,
  readQueries,
  readViews,
  revisionOf,
} from "./thread-life.ts";
import type { Life, Overlay } from "./thread-life.ts";

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
        { numRuns: runs },
      );
    });
  });
}

/** Writes a log of this length, and does everything else to it meanwhile. */
export async function live(life: Life, length: number): Promise<void> {
  const { dice } = life;
  const prefix = "efg"[life.depth] ?? "h";
  const script = [...oddEntries(life), ...randomLog(dice, length, prefix)];
  let written = 0;
  while (written < script.length) {
    const most = dice.once(4) || length > 120 ? 40 : 5;
    const batch = script.slice(written, written + 1 + dice.below(most));
    written += batch.length;
    await append(life, batch);
    for (const [times, verb] of VERBS) if (dice.once(times)) await verb(life);
  }
  if (life.depth < 2 && dice.once(2)) await fork(life);
  await readQueries(life);
  const summaries = await both(life, "summaries", (store) => store.listSummaries(life.threadId));
  expect(summaries).toEqual(life.overlays);
  await readViews(life);
  for (const store of life.handles) expect(await store.verify(life.threadId)).toEqual([]);
}

const VERBS: readonly (readonly [once: number, verb: (life: Life) => Promise<void>])[] = [
  [6, retry],
  [4, async (life) => compact(life)],
  [8, recommit],
  [8, expand],
  [15, replace],
  [8, setState],
  [10, setMetadata],
  [4, readQueries],
  [12, readPages],
];

/** Entries with ids, agents, phases and texts that go wrong elsewhere. */
function oddEntries({ dice, depth }: Life): readonly HistoryEntry[] {
  const drawn = fc.sample(arbitraryEntry(), { seed: dice.below(1e9), numRuns: dice.below(5) });
  return asPlainJson(drawn.map((entry, nth) => inLog(entry, `q${depth}-${nth}`)));
}

async function append(life: Life, batch: readonly HistoryEntry[]): Promise<void> {
  const { dice, threadId, version } = life;
  const tokens = tokensFor(life, batch);
  const at = async (expectedVersion: ExpectedVersion, some = batch): Promise<unknown> =>
    both(life, ["append", expectedVersion, some], (store) =>
      store.append(threadId, some, {
        expectedVersion,
        tokens: some === batch ? tokens : new Map(),
      }),
    );
  const expected = dice.once(3)
    ? "any"
    : dice.pick<ExpectedVersion>(["none", "exists", 0, 3, version]);
  const isMet =
    expected === "any" || expected === version || expected === (isThere(life) ? "exists" : "none");
  expect(await at(expected, [])).toEqual(
    isMet ? { version, duplicate: false } : "VERSION_CONFLICT",
  );
  life.version += batch.length;
  const written = { version: life.version, duplicate: false };
  expect(await at(expected)).toEqual(isMet ? written : "VERSION_CONFLICT");
  if (!isMet) expect(await at(version)).toEqual(written);
  life.log = withTurnIds([...life.log, ...batch]);
  life.sent.push(batch);
}

/** A thread begins with its first entry, or with what stands beside its log. */
function isThere({ version, state, removed, titled }: Life): boolean {
  return version > 0 || state.size > 0 || removed > 0 || titled;
}

function tokensFor({ dice, counts }: Life, batch: readonly HistoryEntry[]) {
  const counters = ["n", "__proto__"].filter(() => dice.once(3));
  const tokens = new Map(counters.map((name) => [name, batch.map(() => dice.below(99))]));
  for (const [nth, { id }] of batch.entries())
    counts.set(id, new Map(counters.map((name) => [name, tokens.get(name)?.[nth] ?? 0])));
  return tokens;
}

/** An entry with its fields in another order. */
function turned(entry: HistoryEntry): HistoryEntry {
  return JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(entry).toReversed())));
}

/** What was sent before, whole or in part, also of what was replaced since: nothing is written, and what is no retry is refused. */
async function retry(life: Life): Promise<void> {
  const { dice, threadId, sent, log, overlays } = life;
  // As they were sent, or as they are read.
  const known = dice.pickOr([...sent, log.slice(dice.below(log.length))], []).slice(0, 400);
  const [first, ...others] = known.slice(dice.below(2));
  if (first === undefined) return;
  const fresh = randomLog(dice, 2, `x${(life.names += 1)}-`);
  const taken = fresh.slice(0, 1).map((entry) => ({ ...entry, id: overlays[0]?.id ?? first.id }));
  const [batch, isRetry] = dice.pick<readonly [readonly HistoryEntry[], boolean]>([
    [[first, ...others], true],
    [[first, ...others].map(turned), true],
    [[first, ...others, ...fresh], false],
    [[first, ...others, first], false],
    [[{ ...first, metadata: { altered: true } }, ...others], false],
    [[...fresh, ...fresh], false],
    [[...fresh.slice(1), ...taken], false],
  ]);
  const expectedVersion = dice.pick<ExpectedVersion>(["none", "exists", "any", 0, 3]);
  const outcome = await both(life, ["retry", batch], (store) =>
    store.append(threadId, batch, { expectedVersion }),
  );
  expect(outcome).toEqual(isRetry ? { version: life.version, duplicate: true } : "DUPLICATE_ID");
}

async function compact(life: Life, view = life.dice.pick(RANDOM_VIEWS)): Promise<void> {
  const { dice } = life;
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
  const [from = "", to = ""] = [members.at(-1)?.id, members[0]?.id];
  const odd = dice.pick([[], [...covers, ...covers], [{ from: "gone", to: from }], [{ from, to }]]);
  const isOdd = dice.once(6) && (odd.length !== 1 || from !== to);
  // The ends of a run are what a summary may cover, and runs do not meet.
  const stands =
    !isOdd &&
    ids[1] !== ids[2] &&
    ends.every(({ type, pinned }) => type !== "system_message" && pinned !== true);
  const fields = { createdAtMs: 0, content: "short", strategy: "whole", trust: "user" } as const;
  const summary = { type: "summary", id: `z${(life.names += 1)}`, ...fields } as const;
  const overlay = { ...summary, view, covers: isOdd ? odd : covers };
  const stale = dice.once(8) ? dice.pick([1, 2]) : 0;
  const outcome = await commit(life, overlay, stale);
  if (stale !== 0) expect(outcome).toBe("VERSION_CONFLICT");
  else if (stands) committed(life, overlay, outcome);
  else expect(outcome).toBe("NOT_FOUND");
}

async function commit(
  life: Life,
  { view, covers, ...summary }: Overlay,
  ahead: number,
): Promise<unknown> {
  const expectedViewRevision = revisionOf(life, view) + ahead;
  return both(life, { summary, view, covers, expectedViewRevision }, (store) =>
    store.commitCompaction(life.threadId, { view, summary, covers, expectedViewRevision }),
  );
}

function committed(life: Life, overlay: Overlay, outcome: unknown): void {
  const viewRevision = revisionOf(life, overlay.view) + 1;
  expect(outcome).toEqual({ viewRevision });
  life.overlays = [...life.overlays, overlay];
  life.revisions.set(overlay.view, viewRevision);
}

/** A retried commit is a success, whatever revision it expects and whatever covers it since; another under its id is refused. */
async function recommit(life: Life): Promise<void> {
  const { dice } = life;
  const overlay = dice.pickOr<Overlay | undefined>(life.overlays, undefined);
  if (overlay === undefined) return;
  const viewRevision = revisionOf(life, overlay.view);
  expect(await commit(life, overlay, dice.below(3))).toEqual({ viewRevision });
  const view = RANDOM_VIEWS.find((one) => one !== overlay.view) ?? "thread";
  const other = dice.pick<Partial<Overlay>>([{ content: "else" }, { covers: [] }, { view }]);
  expect(await commit(life, { ...overlay, ...other }, 0)).toBe("DUPLICATE_ID");
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
  // A late retry does not bring back what was expanded; who knows of that may.
  if (dice.once(3)) expect(await commit(life, overlay, -1)).toBe("VERSION_CONFLICT");
  if (dice.once(6)) committed(life, overlay, await commit(life, overlay, 0));
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

async function replace(life: Life): Promise<void> {
  const { dice, threadId, log } = life;
  const position = dice.below(log.length);
  const from = log[position]?.id;
  if (from === undefined) return;
  const operationId = `o${(life.names += 1)}`;
  // Ids of what goes may be used again.
  const again = log.slice(position, position + 2).map((entry) => ({ ...entry, createdAtMs: 7 }));
  const fresh = randomLog(dice, dice.below(4), `${operationId}-`);
  const replacement = dice.pick([[], again, fresh, [...fresh, ...again]]);
  const tokens = tokensFor(life, replacement);
  const operation = { from, expectedVersion: "any", replacement, operationId, tokens } as const;
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
  const { dice, threadId, state } = life;
  const key = dice.pick(["a", "__proto__"]);
  const value = dice.pick<JsonValue | undefined>([undefined, null, { n: life.names }, [0, "x"]]);
  const current = state.get(key)?.revision ?? 0;
  const expectedRevision = dice.once(3) ? dice.below(4) : current;
  const outcome = await both(life, ["state", key, value, expectedRevision], async (store) =>
    store.setState(threadId, key, value, { expectedRevision }),
  );
  if (expectedRevision !== current) expect(outcome).toBe("VERSION_CONFLICT");
  else if (value === undefined) {
    expect(outcome).toEqual({ revision: 0 });
    life.removed = Math.max(life.removed, current);
    state.delete(key);
  } else {
    // Once removed, a revision is not given again.
    const revision = (current === 0 ? life.removed : current) + 1;
    expect(outcome).toEqual({ revision });
    state.set(key, { value, revision });
  }
  const read = await both(life, ["state", key], (store) => store.getState(threadId, key));
  expect(read).toEqual(state.get(key));
  const all = await both(life, "states", async (store) => {
    const { items } = await store.listState(threadId);
    return new Map(items.map(({ key: name, ...item }) => [name, item]));
  });
  expect(all).toEqual(state);
}

async function setMetadata(life: Life): Promise<void> {
  const { dice, threadId } = life;
  const user = `ada of ${threadId}`;
  const change = {
    ...(dice.once(2) && { title: dice.pick([null, "x", "👍"]) }),
    ...(dice.once(2) && { user: dice.pick([null, user, `${user}\u0000`]) }),
    ...(dice.once(2) && { tags: dice.pick([[], ["y z", "x"]]) }),
  };
  life.titled = true;
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

async function fork(life: Life): Promise<void> {
  const { dice, threadId, log } = life;
  const position = dice.below(log.length);
  const at = log[position]?.id;
  if (at === undefined) return;
  const send = async (operationId: string, from = at): Promise<unknown> =>
    both(life, ["fork", from], (store) => store.fork(threadId, { at: from, as: "f", operationId }));
  expect(await send("one", "gone")).toBe("NOT_FOUND");
  const forked = { threadId: `${threadId}/f` };
  expect([await send("one"), await send("one")]).toEqual([forked, forked]);
  expect(await send("two")).toBe("VERSION_CONFLICT");
  const { handles, reference, counts } = life;
  const shared = { handles, reference, dice, counts: new Map(counts), threadId: `${threadId}/f` };
  const own = { ...lifeOf(shared, life.depth + 1), names: life.names };
  own.log = log.slice(0, position + 1);
  own.version = own.log.length;
  own.overlays = standing(life.overlays, own.log);
  for (const { view } of own.overlays) own.revisions.set(view, 0);
  await live(own, 1 + dice.below(20));
  await compact(own);
  await replace(own);
  await readQueries(own);
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
  await readQueries(life);
  await both(life, "summaries left", (one) => one.listSummaries(threadId));
}

/** A deleted thread stays deleted; its fork lives on. */
async function end(life: Life): Promise<void> {
  const { threadId } = life;
  await both(life, "delete", async (store) => {
    const { threads, entries, summaries, states } = await store.delete(threadId);
    return { threads, entries, summaries, states };
  });
  expect(await both(life, "after", (store) => store.read(threadId))).toBe("THREAD_DELETED");
  for (const copy of [`${threadId}/f`, `${threadId}/f/f`]) {
    await both(life, copy, (store) => store.read(copy));
    expect(await both(life, copy, (store) => store.verify(copy))).toEqual([]);
  }
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
