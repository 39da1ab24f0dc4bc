import type { HistoryQuery, HistoryStore } from "@agent-history/core";
import { applyCompactions, isHistoryError } from "@agent-history/core";
import type { SelectedPage } from "@agent-history/core/kit";
import { selectPage } from "@agent-history/core/kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryQuery } from "../../arbitrary-query.ts";
import { arbitraryQueryOf } from "./arbitrary-query.ts";
import { arbitraryThread } from "./arbitrary-thread.ts";
import type { Overlay, ThreadScript } from "./arbitrary-thread.ts";
import { asPlainJson, codeOf, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

const QUERIES = 6;

/** A read answers as the pure functions do. */
export function describeQueries(stores: UseStores, runs: number): void {
  describe("read with a query", () => {
    it("equals selectEntries over applyCompactions; with originals, selectEntries", async () => {
      const { store } = await stores();
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(threadWithQueries(), async ({ script, queries, size }) => {
          const threadId = `t${(nth += 1)}`;
          await write(store, threadId, script, size);
          for (const query of queries) await expectSame(store, threadId, script, query);
        }),
        { numRuns: runs },
      );
    });

    it("equals them in forks, which have what they share and what is their own", async () => {
      const { store } = await stores();
      let nth = 0;
      const cases = fc.tuple(threadWithQueries(), fc.nat());
      await fc.assert(
        fc.asyncProperty(cases, async ([{ script, queries, size }, cut]) => {
          const { log } = script;
          const end = 1 + (cut % Math.max(1, log.length));
          const at = log[end - 1];
          if (at === undefined) return;
          const threadId = `t${(nth += 1)}`;
          await write(store, threadId, script, size);
          const fork = await store.fork(threadId, { at: at.id, as: "fork" });
          const shared = { log: log.slice(0, end), overlays: sharedOverlays(script, end) };
          for (const query of queries) await expectSame(store, fork.threadId, shared, query);
          if (end < log.length) await store.append(fork.threadId, log.slice(end));
          const whole = { log, overlays: shared.overlays };
          for (const query of queries) await expectSame(store, fork.threadId, whole, query);
          expect(await store.verify(fork.threadId)).toEqual([]);
        }),
        { numRuns: Math.ceil(runs / 2) },
      );
    });
  });
  describeRefusedQueries(stores);
}

function describeRefusedQueries(stores: UseStores): void {
  describe("read", () => {
    it("refuses limits that are no counts, and bounds that are not there", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      for (const threadId of ["t", "missing"]) {
        for (const limit of [-1, 0.5, Number.NaN]) {
          for (const wrong of [{ maxEntries: limit }, { maxTokens: limit }]) {
            const query = { clauses: [{}], ...wrong };
            expect(await codeOf(store.read(threadId, { query }))).toBe("INVALID_QUERY");
          }
          const query = { clauses: [{ lastTurns: { count: limit } }] };
          expect(await codeOf(store.read(threadId, { query }))).toBe("INVALID_QUERY");
        }
        for (const wrong of [{ after: "gone" }, { before: "gone" }]) {
          const query = { clauses: [{}], ...wrong };
          expect(await codeOf(store.read(threadId, { query }))).toBe("NOT_FOUND");
        }
      }
    });

    it("shows nothing without a clause, and everything without a query", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      expect((await store.read("t", { query: { clauses: [] } })).entries).toEqual([]);
      expect((await store.read("t")).entries).toEqual(messages("a", "b"));
      const none = { query: { clauses: [{}], maxEntries: 0 } };
      expect(await store.read("t", none)).toMatchObject({ entries: [], version: 2 });
    });
  });
}

function threadWithQueries(): fc.Arbitrary<{
  readonly script: ThreadScript;
  readonly queries: readonly HistoryQuery[];
  readonly size: number;
}> {
  return arbitraryThread().chain((script) =>
    fc.record({
      script: fc.constant(script),
      queries: fc.array(anyQuery(script), { minLength: QUERIES, maxLength: QUERIES }),
      size: fc.integer({ min: 1, max: 40 }),
    }),
  );
}

/** Those that filters make, and any at all. */
function anyQuery({ log, overlays }: ThreadScript): fc.Arbitrary<HistoryQuery> {
  return fc.oneof(arbitraryQuery(log), arbitraryQueryOf([...log, ...overlays]));
}

async function write(
  store: HistoryStore,
  threadId: string,
  { log, overlays }: ThreadScript,
  size: number,
): Promise<void> {
  for (let start = 0; start < log.length; start += size) {
    await store.append(threadId, log.slice(start, start + size));
  }
  const viewRevisions = new Map<string, number>();
  for (const summary of overlays) {
    const { view, covers } = summary;
    const expectedViewRevision = viewRevisions.get(view) ?? 0;
    const { viewRevision } = await store.commitCompaction(threadId, {
      view,
      summary,
      covers,
      expectedViewRevision,
    });
    viewRevisions.set(view, viewRevision);
  }
}

/** The summaries that cover nothing later than a fork's last shared entry. */
function sharedOverlays({ log, overlays }: ThreadScript, end: number): readonly Overlay[] {
  const ids = new Set(log.slice(0, end).map(({ id }) => id));
  return overlays.filter(({ id, covers }) => {
    const isShared = covers.every(({ from, to }) => ids.has(from) && ids.has(to));
    if (isShared) ids.add(id);
    return isShared;
  });
}

async function expectSame(
  store: HistoryStore,
  threadId: string,
  { log, overlays }: ThreadScript,
  query: HistoryQuery,
): Promise<void> {
  const shown = applyCompactions([...log, ...overlays], query.view);
  for (const originals of [false, true]) {
    const expected = outcomeOf(() => selectPage(originals ? log : shown, query));
    const actual = await store.read(threadId, { query, originals }).then(
      ({ entries, version, next }) => {
        expect(version).toBe(log.length);
        return { entries, ...(next !== undefined && { next }) };
      },
      (error: unknown) => (isHistoryError(error) ? error.code : Promise.reject(error)),
    );
    expect(actual).toEqual(expected);
  }
}

function outcomeOf(select: () => SelectedPage): SelectedPage | string {
  try {
    return asPlainJson(select());
  } catch (error) {
    if (isHistoryError(error)) return error.code;
    throw error;
  }
}
