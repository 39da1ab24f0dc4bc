import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import type { MemoryThreads } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect } from "vitest";

import { compact, idsOf, manyMessages, messages, outcomeOf } from "./ask-store.ts";
import { diceOf } from "./random-log.ts";
import type { Dice } from "./random-log.ts";
import type { StoreTest } from "./store-test.ts";

const WRITERS = 6;
const BATCHES = 10;

/** Writers and readers at once, on one handle and on several. */
export function describeConcurrency(it: StoreTest, runs: number): void {
  describe("calls at once", () => {
    it("have the outcomes that they have one after another, in some order", async ({
      store,
      another,
    }) => {
      const handles = [store, await another(), await another()];
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.noShrink(fc.integer()), async (seed) => {
          const dice = diceOf(seed);
          const threadId = `t${(nth += 1)}`;
          let threads: MemoryThreads = new Map();
          for (let round = 0; round < 8; round += 1) {
            const asked = await stateOf(memoryStore({ threads }), threadId);
            const calls = Array.from({ length: 2 + dice.below(3) }, (_, at) =>
              randomCall(dice, `${round}-${at}`, { threadId, ...asked }),
            );
            const outcomes = await Promise.all(
              calls.map(async (call, at) => outcomeOf(call(handles[at % 3] ?? store))),
            );
            const state = await stateOf(dice.pickOr(handles, store), threadId);
            threads = await inSomeOrder(threads, calls, { threadId, outcomes, state });
          }
          expect([[], "THREAD_DELETED"]).toContainEqual(await outcomeOf(store.verify(threadId)));
        }),
        { numRuns: runs },
      );
    });
  });

  describe("writers at once", () => {
    it("lose nothing, double nothing and tear no batch; a follower meets every entry once, in order", async ({
      store,
      another,
    }) => {
      const handles = [store, await another(), await another()];
      const writing = Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const handle = handles[writer % handles.length] ?? store;
          for (let nth = 0; nth < BATCHES; nth++)
            await handle.append("t", manyMessages(`${writer}-${nth}-`, 3));
        }),
      );
      const met = await follow(await another(), WRITERS * BATCHES * 3);
      await writing;
      expect(await idsOf(store, "t")).toBe(met.join(" "));
      const next = new Map<string, number>();
      for (let start = 0; start < met.length; start += 3) {
        const [writer = "", nth] = met[start]?.split("-") ?? [];
        expect(met.slice(start, start + 3)).toEqual([0, 1, 2].map((n) => `${writer}-${nth}-${n}`));
        expect(Number(nth)).toBe(next.get(writer) ?? 0);
        next.set(writer, Number(nth) + 1);
      }
    });

    it("keep the order in which one of them called, without awaiting", async ({ store }) => {
      const calls = Array.from({ length: 30 }, (_, nth) => store.append("t", messages(`m${nth}`)));
      const results = await Promise.all(calls);
      expect(results.map(({ version }) => version)).toEqual(calls.map((_, nth) => nth + 1));
      expect(await idsOf(store, "t")).toBe(calls.map((_, nth) => `m${nth}`).join(" "));
    });
  });
}

type Call = (store: HistoryStore) => Promise<unknown>;

/** What a reader sees of a thread, each part of one moment. */
async function stateOf(store: HistoryStore, threadId: string) {
  const query = { clauses: [{}], view: "thread" } as const;
  const log = await outcomeOf(store.read(threadId));
  const shown = await outcomeOf(store.read(threadId, { query }));
  const ids = (read: typeof log): readonly string[] =>
    typeof read === "string" ? [] : read.entries.map(({ id }) => id);
  return {
    version: typeof log === "string" ? log : log.version,
    log: ids(log),
    viewRevision: typeof shown === "string" ? 0 : shown.viewRevision,
    shown: ids(shown),
    state: await outcomeOf(store.getState(threadId, "key")),
    title: await outcomeOf(store.getMetadata(threadId).then((about) => about?.title)),
    tags: await outcomeOf(store.getMetadata(threadId).then((about) => about?.tags)),
  };
}

/** A call that is likely to meet others: of a few names, at the version and the revisions that all know. */
function randomCall(
  { below, once, pick, pickOr }: Dice,
  name: string,
  asked: Awaited<ReturnType<typeof stateOf>> & { readonly threadId: string },
): Call {
  const { threadId, version, log, shown, viewRevision, state } = asked;
  const batch = manyMessages(`m${once(3) ? name : below(6)}-`, 1 + below(3));
  const expectedVersion = typeof version === "number" && once(2) ? version : "any";
  const revision = typeof state === "object" ? state.revision : 0;
  const [from, to] = [shown[0] ?? "none", shown[below(shown.length)] ?? "none"];
  const summaries = shown.filter((id) => id.startsWith("z"));
  const replacement = { replacement: once(2) ? [] : batch, operationId: `o${name}` };
  const [place, summary] = [pickOr(log, "none"), pickOr(summaries, "none")];
  const value = once(3) ? undefined : name;
  const append: Call = (store) => store.append(threadId, batch, { expectedVersion });
  return pick<Call>([
    append,
    append,
    append,
    (store) => compact(store, threadId, `z${name}`, [from, to], { viewRevision }),
    (store) => store.expand(threadId, summary),
    (store) => store.replaceSuffix(threadId, { from: place, expectedVersion, ...replacement }),
    (store) => store.setState(threadId, "key", value, { expectedRevision: revision }),
    (store) =>
      store.setMetadata(threadId, { title: name }).then(({ title, tags }) => [title, tags]),
    (store) =>
      store.setMetadata(threadId, { tags: [name] }).then(({ title, tags }) => [title, tags]),
    (store) => store.read(threadId),
    (store) => store.read(threadId, { query: { clauses: [{}], view: "thread" } }),
    async (store) => {
      await store.fork(threadId, { at: place, as: name });
      return idsOf(store, `${threadId}/${name}`);
    },
    once(8) ? (store) => store.delete(threadId).then(() => "deleted") : append,
  ]);
}

/** Finds an order in which the calls have these outcomes in memory, one after another; returns what memory has then. */
async function inSomeOrder(
  threads: MemoryThreads,
  calls: readonly Call[],
  seen: {
    readonly threadId: string;
    readonly outcomes: readonly unknown[];
    readonly state: object;
  },
): Promise<MemoryThreads> {
  const tried: unknown[] = [];
  for (const order of ordersOf(calls.map((_, at) => at))) {
    const copy = structuredClone(threads);
    const memory = memoryStore({ threads: copy });
    const outcomes: unknown[] = [];
    for (const at of order) outcomes[at] = await outcomeOf(calls[at]?.(memory) ?? Promise.reject());
    const found = {
      threadId: seen.threadId,
      outcomes,
      state: await stateOf(memory, seen.threadId),
    };
    if (isEqual(found, seen)) return copy;
    tried.push(found);
  }
  expect(tried).toContainEqual(seen);
  return threads;
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

function ordersOf(places: readonly number[]): readonly (readonly number[])[] {
  if (places.length < 2) return [places];
  return places.flatMap((place) =>
    ordersOf(places.filter((one) => one !== place)).map((rest) => [place, ...rest]),
  );
}

/** Reads on after the last entry, until there are this many. */
async function follow(reader: HistoryStore, count: number): Promise<readonly string[]> {
  const met: string[] = [];
  while (met.length < count) {
    const after = met.at(-1);
    const query = { clauses: [{}], ...(after !== undefined && { after }) };
    const { entries, version } = await reader.read("t", { query });
    met.push(...entries.map(({ id }) => id));
    expect([met.length % 3, version]).toEqual([0, met.length]);
  }
  return met;
}
