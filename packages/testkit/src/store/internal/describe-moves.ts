import type { HistoryStore } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { checkExport, memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect } from "vitest";

import {
  idsOf,
  codeOf,
  compact,
  linesOf,
  manyMessages,
  messages,
  namesIn,
  replace,
} from "./ask-store.ts";
import { live } from "./describe-random-logs.ts";
import { RANDOM_VIEWS } from "./random-log.ts";
import type { StoreTest } from "./store-test.ts";
import { newLife } from "./thread-life.ts";

/** Threads that move to the store and from it. */
export function describeMoves(it: StoreTest, runs: number, hasLongTests: boolean): void {
  describe("exportThread and importThread", () => {
    it("move any thread here and back, equal to the byte and in what reads show", async ({
      store,
    }) => {
      let nth = 0;
      const drawn = fc.tuple(fc.noShrink(fc.integer()), fc.integer({ min: 1, max: 60 }));
      await fc.assert(
        fc.asyncProperty(drawn, fc.integer({ min: 1, max: 300 }), async ([seed, length], size) => {
          const from = memoryStore();
          await live(newLife([from], "a", seed), length);
          const name = `moved${(nth += 1)}`;
          const lines = await linesOf(from, "a");
          const report = await store.importThread(name, piecesOf(lines, size));
          expect(report).toEqual({ ...(await checkExport(lines)), duplicate: false });
          expect(await linesOf(store, name)).toEqual(lines);
          await expectSameReads(from, "a", store, name);
          const back = memoryStore();
          await back.importThread("a", store.exportThread(name));
          expect(await linesOf(back, "a")).toEqual(lines);
        }),
        { numRuns: Math.ceil(runs / 2) },
      );
    });

    it("move a long thread in pages, with forks of forks", async ({ store }) => {
      const from = await forkedThread();
      const lines = await linesOf(from, "t");
      expect(lines.filter((line) => line.includes('"kind":"entry"'))).toHaveLength(3013);
      await store.importThread("u", lines);
      expect(await linesOf(store, "u")).toEqual(lines);
      await expectSameReads(from, "t", store, "u");
    });

    it("stop for a signal and go on without; give no export of what is missing or changes meanwhile", async ({
      store,
    }) => {
      expect(await codeOf(linesOf(store, "t"))).toBe("NOT_FOUND");
      const from = await layeredThread();
      const lines = await linesOf(from, "t");
      const caller = new AbortController();
      const stopping = function* (): Generator<string> {
        yield* lines.slice(0, 4);
        caller.abort();
        yield* lines.slice(4);
      };
      for (const signal of [AbortSignal.abort(), caller.signal])
        expect(await codeOf(store.importThread("u", stopping(), { signal }))).toBe("ABORTED");
      await store.importThread("u", lines);
      expect(await linesOf(store, "u")).toEqual(lines);
      await store.append("t", manyMessages("m", 450));
      const changing = store.exportThread("t")[Symbol.asyncIterator]();
      for (let nth = 0; nth < 3; nth += 1) await changing.next();
      await store.append("t", messages("late"));
      const rest = async (): Promise<void> => {
        while ((await changing.next()).done !== true);
      };
      expect(await codeOf(rest())).toBe("VERSION_CONFLICT");
    });
  });

  describe("importThread once more", () => {
    it("finishes what ended at any line, and shows it only when it is whole", async ({ store }) => {
      const from = await layeredThread();
      const lines = await linesOf(from, "t");
      for (const nth of lines.keys()) {
        if (!hasLongTests && nth % 5 !== 3) continue;
        const name = `u${nth}`;
        for (const end of [nth, lines.length - 1]) {
          const broken = store.importThread(name, endingAt(lines, end));
          expect(await codeOf(broken)).toBe("OUTCOME_UNKNOWN");
          expect(await store.getMetadata(name)).toBeUndefined();
          expect(await store.read(name)).toMatchObject({ entries: [], version: 0 });
          expect(await namesIn(store, { prefix: name })).toEqual([]);
          expect(await codeOf(linesOf(store, name))).toBe("NOT_FOUND");
        }
        const report = await store.importThread(name, lines);
        expect(report).toEqual({ threads: 3, entries: 8, duplicate: false });
        expect(await linesOf(store, name)).toEqual(lines);
        if (nth % 5 === 3) await expectSameReads(from, "t", store, name);
        await store.delete(name, { includeForks: true });
      }
      await codeOf(store.importThread("given up", endingAt(lines, lines.length - 1)));
      await store.delete("given up", { includeForks: true });
      expect(await namesIn(store)).toEqual([]);
    });

    it("leaves nothing that mixes with what others write under the name", async ({ store }) => {
      const lines = await linesOf(await layeredThread(), "t");
      await codeOf(store.importThread("u", endingAt(lines, lines.length - 1)));
      expect((await store.listState("u")).items).toEqual([]);
      expect(await store.listSummaries("u")).toEqual([]);
      const written = { version: 2, duplicate: false };
      expect(await store.append("u", messages("x", "y"))).toEqual(written);
      expect(await codeOf(store.importThread("u", lines))).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "u")).toBe("x y");
      expect(await store.verify("u")).toEqual([]);
    });

    it("is a duplicate where the thread is equal, and refused where it is not", async ({
      store,
    }) => {
      const lines = await linesOf(await layeredThread(), "t");
      await store.importThread("u", lines);
      expect(await store.importThread("u", lines)).toMatchObject({ duplicate: true });
      await store.append("u", messages("more"));
      const changed = await linesOf(store, "u");
      expect(await codeOf(store.importThread("u", lines))).toBe("VERSION_CONFLICT");
      expect(await linesOf(store, "u")).toEqual(changed);
      await store.append("v/w", messages("own"));
      expect(await codeOf(store.importThread("v", lines))).toBe("VERSION_CONFLICT");
      expect(await store.getMetadata("v")).toBeUndefined();
      await store.delete("gone");
      expect(await codeOf(store.importThread("gone", lines))).toBe("THREAD_DELETED");
    });

    it.runIf(hasLongTests)(
      "names the line where an export is damaged, cut off or out of order, and shows nothing as whole",
      async ({ store }) => {
        const lines = await linesOf(await layeredThread(), "t");
        for (const nth of lines.keys()) {
          const name = `u${nth}`;
          for (const [kind, text] of damagedAt(lines, nth).entries()) {
            const [error] = await Promise.allSettled([checkExport(text)]);
            expect(error).toMatchObject({ reason: { code: "INVALID_ENTRY" } });
            expect(JSON.stringify(error)).toMatch(/"line":/u);
            expect(JSON.stringify(error)).not.toContain("secret");
            // The store sees of each line two kinds of damage, so of each kind a third of the lines.
            if (kind % 3 !== nth % 3) continue;
            expect(await codeOf(store.importThread(name, text))).toBe("INVALID_ENTRY");
          }
          expect(await codeOf(linesOf(store, name))).not.toBeUndefined();
          await store.importThread(name, lines);
          expect(await linesOf(store, name)).toEqual(lines);
        }
      },
    );
  });
}

/** Cuts a text anywhere. */
function* piecesOf(lines: readonly string[], size: number): Generator<string> {
  const text = lines.join("");
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

/** Exports in which a line is changed, missing, the last, doubled, cut off or another. */
function damagedAt(lines: readonly string[], nth: number): readonly (readonly string[])[] {
  const line = lines[nth] ?? "";
  const [before, after] = [lines.slice(0, nth), lines.slice(nth + 1)];
  return [
    [...before, `${line.slice(0, -9)}x${line.slice(-8)}`, ...after],
    [...before, ...after],
    before,
    [...before, line, line, ...after],
    [...before, line.slice(0, -9)],
    [...before, `{"kind":"secret words"}\n`, ...after],
  ];
}

/** Compares what reads show of two threads and of those below them. */
async function expectSameReads(
  one: HistoryStore,
  oneId: string,
  other: HistoryStore,
  otherId: string,
): Promise<void> {
  const below = async (store: HistoryStore, id: string): Promise<readonly string[]> =>
    (await namesIn(store, { prefix: `${id}/` })).map((name) => name.slice(id.length));
  const names = ["", ...(await below(one, oneId))];
  expect(["", ...(await below(other, otherId))]).toEqual(names);
  for (const name of names) {
    const shown = await shownOf(other, `${otherId}${name}`);
    expect(shown).toEqual(await shownOf(one, `${oneId}${name}`));
    expect(await other.verify(`${otherId}${name}`)).toEqual([]);
  }
}

async function shownOf(store: HistoryStore, threadId: string): Promise<unknown> {
  const { entries, tokens, entryCount } = await store.read(threadId, { originals: true });
  const views: unknown[] = [];
  for (const view of RANDOM_VIEWS) {
    const read = await store.read(threadId, { query: { clauses: [{}], view } });
    views.push([view, read.entries, read.tokens]);
  }
  const { items } = await store.listState(threadId, { limit: Infinity });
  const state = new Map(items.map(({ key, value }) => [key, value]));
  const { title, user, tags, isFork } = (await store.getMetadata(threadId)) ?? {};
  return { entries, tokens, entryCount, views, state, title, user, tags, isFork };
}

/** Lines whose source fails behind some of them. */
function* endingAt(lines: readonly string[], end: number): Generator<string> {
  yield* lines.slice(0, end);
  throw new HistoryError("The source has gone.", { code: "OUTCOME_UNKNOWN" });
}

/** A thread with layers in two views, a fork, a fork of that, state and metadata. */
async function layeredThread(): Promise<HistoryStore> {
  const store = memoryStore();
  await store.append("t", messages("a", "b"), { tokens: new Map([["n", [1, 2]]]) });
  await store.append("t", messages("c", "old"));
  await store.fork("t", { at: "b", as: "x" });
  await store.append("t/x", messages("d"));
  await store.fork("t/x", { at: "d", as: "y" });
  await replace(store, "old", ["new"]);
  await compact(store, "t", "z1", ["a", "b"], { viewRevision: 1 });
  await compact(store, "t", "z2", ["z1", "c"], { viewRevision: 2 });
  await compact(store, "t", "z3", ["a", "c"], { view: "conversation", viewRevision: 1 });
  await compact(store, "t/x", "z1", ["b", "d"], { viewRevision: 0 });
  await store.setState("t", "key", { plan: [1] }, { expectedRevision: 0 });
  await store.setState("t/x/y", "", "empty", { expectedRevision: 0 });
  await store.setMetadata("t", { title: "Planets", user: "ada", tags: ["x"] });
  await replace(store, "a", ["a2"], "t/x/y");
  return store;
}

async function forkedThread(): Promise<HistoryStore> {
  const store = memoryStore();
  const entries = manyMessages("m", 1100);
  for (let from = 0; from < 1100; from += 220)
    await store.append("t", entries.slice(from, from + 220));
  await store.fork("t", { at: "m950", as: "f" });
  await store.append("t/f", messages("own1", "own2"));
  await store.fork("t/f", { at: "own1", as: "g" });
  await store.append("t/f/g", messages("own3"));
  await store.fork("t/f", { at: "m3", as: "h" });
  await store.append("t/f/h", messages("m4", "own4"));
  await store.append("t/plain", messages("own5"));
  await store.setMetadata("t/f/none", { title: "Nothing yet" });
  return store;
}
