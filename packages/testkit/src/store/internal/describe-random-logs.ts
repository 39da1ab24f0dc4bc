import type {
  HistoryEntry,
  HistoryQuery,
  HistoryStore,
  HistoryView,
  SummaryEntry,
} from "@agent-history/core";
import { applyCompactions, isHistoryError, isInView, isOverlay } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Overlay } from "./arbitrary-thread.ts";
import { diceOf, RANDOM_VIEWS, randomLog, randomQuery } from "./random-log.ts";
import type { Dice } from "./random-log.ts";
import type { UseStores } from "./use-stores.ts";

/** The fuzz: random logs with everything that may happen to a thread, and each read compared with what core says of the whole log. */
export function describeRandomLogs(stores: UseStores, runs: number): void {
  describe("a log of any shape", () => {
    it("reads as core selects from the whole of it, through batches, compactions, expansions, replacements and forks", async () => {
      const { store } = await stores();
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.noShrink(fc.integer()), async (seed) => {
          const threadId = `life-${(nth += 1)}`;
          await live(newLife(store, threadId, diceOf(seed)));
        }),
        { numRuns: runs },
      );
    });
  });
}

/** A thread, and what it must be. */
interface Life {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly dice: Dice;
  log: readonly HistoryEntry[];
  overlays: readonly Overlay[];
  /** The revisions of views that were compacted, and how many suffixes were replaced. */
  readonly revisions: Map<HistoryView, number>;
  cuts: number;
  /** For names that are used once. */
  names: number;
}

function newLife(store: HistoryStore, threadId: string, dice: Dice): Life {
  return { store, threadId, dice, log: [], overlays: [], revisions: new Map(), cuts: 0, names: 0 };
}

async function live(life: Life): Promise<void> {
  const { dice, store, threadId } = life;
  const script = randomLog(dice, 1 + dice.below(120));
  let written = 0;
  while (written < script.length) {
    const batch = script.slice(written, written + 1 + dice.below(dice.once(4) ? 40 : 5));
    written += batch.length;
    await store.append(threadId, batch);
    life.log = [...life.log, ...batch];
    if (dice.once(4)) await compactSome(life);
    if (dice.once(8)) await expandSome(life);
    if (dice.once(15)) await replaceSome(life);
    if (dice.once(3) || written === script.length) await readSome(life);
  }
  if (dice.once(2)) await forkSome(life);
}

async function compactSome(life: Life): Promise<void> {
  const { dice, store, threadId } = life;
  const view = dice.pick(RANDOM_VIEWS);
  const members = applyCompactions([...life.log, ...life.overlays], view).filter(
    (entry) => isInView(entry, view) || isOverlay(entry),
  );
  const first = dice.once(3) ? dice.below(members.length) : 0;
  const from = members[first];
  const to = members[Math.min(members.length - 1, first + dice.below(members.length))];
  if (from === undefined || to === undefined) return;
  const covers = [{ from: from.id, to: to.id }];
  const summary: SummaryEntry = {
    type: "summary",
    id: `z${(life.names += 1)}`,
    createdAtMs: 0,
    content: "short",
    strategy: "whole",
    trust: "user",
  };
  const overlay = { ...summary, view, covers };
  const overlays = [...life.overlays, overlay];
  const stands = applyCompactions([...life.log, ...overlays], view).includes(overlay);
  const revision = revisionOf(life, view);
  const options = { view, summary, covers, expectedViewRevision: revision };
  const outcome = await outcomeOf(store.commitCompaction(threadId, options));
  expect(outcome).toEqual(stands ? { viewRevision: revision + 1 } : "NOT_FOUND");
  if (!stands) return;
  life.overlays = overlays;
  life.revisions.set(view, revision + 1);
}

async function expandSome(life: Life): Promise<void> {
  const { dice, store, threadId } = life;
  const overlay = dice.pickOr<Overlay | undefined>(life.overlays, undefined);
  if (overlay === undefined) return;
  const { view, id } = overlay;
  const isShown = applyCompactions([...life.log, ...life.overlays], view).includes(overlay);
  const revision = revisionOf(life, view) + 1;
  const outcome = await outcomeOf(store.expand(threadId, id));
  expect(outcome).toEqual(isShown ? { viewRevision: revision } : "NOT_FOUND");
  if (!isShown) return;
  life.overlays = life.overlays.filter((one) => one !== overlay);
  life.revisions.set(view, revision);
}

async function replaceSome(life: Life): Promise<void> {
  const { dice, store, threadId } = life;
  const position = dice.below(life.log.length);
  const from = life.log[position]?.id ?? "gone";
  const name = (life.names += 1);
  const replacement = dice.once(2) ? randomLog(dice, dice.below(4), `r${name}-`) : [];
  const operation = { from, expectedVersion: "any", replacement, operationId: `o${name}` } as const;
  await store.replaceSuffix(threadId, operation);
  life.cuts += 1;
  for (const [view, revision] of life.revisions) life.revisions.set(view, revision + 1);
  const kept = life.log.slice(0, position);
  life.overlays = standing(life.overlays, kept);
  life.log = [...kept, ...replacement];
}

async function forkSome(life: Life): Promise<void> {
  const { dice, store, threadId } = life;
  const position = dice.below(life.log.length);
  const at = life.log[position]?.id;
  if (at === undefined) return;
  const fork = { ...newLife(store, `${threadId}/f`, dice), names: life.names };
  await store.fork(threadId, { at, as: "f" });
  fork.log = life.log.slice(0, position + 1);
  fork.overlays = standing(life.overlays, fork.log);
  for (const { view } of fork.overlays) fork.revisions.set(view, 0);
  const more = randomLog(dice, 1 + dice.below(20), "f");
  await store.append(fork.threadId, more);
  fork.log = [...fork.log, ...more];
  await readSome(fork);
  await compactSome(fork);
  await replaceSome(fork);
  await readSome(fork);
  await readSome(life);
}

async function readSome(life: Life): Promise<void> {
  const { dice, store, threadId, log, overlays } = life;
  for (let nth = 0; nth < 6; nth += 1) {
    const query = randomQuery(dice, [...log, ...overlays]);
    const originals = dice.once(4);
    const all = originals ? log : applyCompactions([...log, ...overlays], query.view);
    const expected = pageOf(all, query);
    const outcome = await outcomeOf(store.read(threadId, { query, originals }));
    const actual =
      typeof outcome === "string"
        ? // Where the entry was replaced before, the store knows more than the log says.
          outcome.replace("HISTORY_REWOUND", "NOT_FOUND")
        : { entries: outcome.entries, next: outcome.next };
    expect({ query, originals, ...wrapped(actual) }).toEqual({
      query,
      originals,
      ...wrapped(expected),
    });
    if (typeof outcome === "string") continue;
    expect(outcome.entryCount).toBe(log.length);
    expect(outcome.problems).toEqual([]);
    if (query.view !== undefined) expect(outcome.viewRevision).toBe(revisionOf(life, query.view));
  }
}

function wrapped(outcome: string | object): object {
  return typeof outcome === "string" ? { code: outcome } : outcome;
}

function pageOf(all: readonly HistoryEntry[], query: HistoryQuery): string | object {
  try {
    const { entries, next } = selectPage(all, query);
    return { entries, next };
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}

async function outcomeOf<Result extends object>(work: Promise<Result>): Promise<Result | string> {
  try {
    return await work;
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
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
