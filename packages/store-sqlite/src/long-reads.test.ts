import { setImmediate } from "node:timers/promises";

import type { HistoryStore } from "@agent-history/core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { longThread } from "../test-support/long-thread.ts";
import { messages } from "../test-support/messages.ts";
import { sqliteStore } from "./sqlite-store.ts";

const LENGTH = 4000;
/** What a verb reads before others have their turn, at most. */
const PAGE = 1000;

const VERBS: readonly (readonly [
  string,
  (store: HistoryStore, signal?: AbortSignal) => Promise<unknown>,
])[] = [
  ["read", (store, signal) => store.read("t", { ...(signal && { signal }) })],
  [
    "read of originals",
    (store, signal) => store.read("t", { originals: true, ...(signal && { signal }) }),
  ],
  [
    "read of types of one's own",
    (store, signal) =>
      store.read("t", { query: { clauses: [{ types: ["note"] }] }, ...(signal && { signal }) }),
  ],
  [
    "read of a tail that the index finds",
    (store, signal) =>
      store.read("t", {
        query: { clauses: [{}], maxEntries: 3990 },
        ...(signal && { signal }),
      }),
  ],
  ["verify", (store, signal) => store.verify("t", { ...(signal && { signal }) })],
  [
    "fork",
    (store, signal) =>
      store.fork("t", {
        at: `${LENGTH / 10 - 1}-answer`,
        as: signal === undefined ? "fork" : "ended",
        ...(signal && { signal }),
      }),
  ],
];

describe("sqliteStore on a long thread", () => {
  const store = sqliteStore({ path: ":memory:" });
  // Each look at the clock is a page later, however fast the machine is.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 21));
  beforeAll(async () => {
    const log = longThread(LENGTH, 20);
    for (let start = 0; start < LENGTH; start += 500) {
      await store.append("t", log.slice(start, start + 500));
    }
  });
  afterAll(async () => {
    clock.mockRestore();
    await store.close();
  });

  it.each(VERBS)("lets others have their turn after each page: %s", async (_name, verb) => {
    const progress = { isOver: false, turns: 0 };
    const call = verb(store).finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      await setImmediate();
      progress.turns += 1;
    }
    await call;
    expect(progress.turns).toBeGreaterThanOrEqual(Math.floor(3990 / PAGE));
  });

  it.each(VERBS)("ends between two pages where its signal fires: %s", async (_name, verb) => {
    const controller = new AbortController();
    const call = failureOf(verb(store, controller.signal));
    await setImmediate();
    controller.abort();
    expect(await call).toMatchObject({ code: "ABORTED" });
  });

  it("forks in the order of the writes, a long thread too", async () => {
    const fork = store.fork("t", { at: "10-answer", as: "ordered" });
    const append = store.append("t/ordered", messages("behind"), { expectedVersion: 110 });
    expect(await fork).toEqual({ threadId: "t/ordered" });
    expect(await append).toEqual({ version: 111, duplicate: false });
    expect(await store.verify("t/ordered")).toEqual([]);
  });

  it("lists all threads in pages, and ends between two of them where its signal fires", async () => {
    const many = sqliteStore({ path: ":memory:" });
    const names = Array.from({ length: 3000 }, (_, nth) => `thread-${10_000 + nth}`);
    for (const name of names) await many.setState(name, "key", 1, { expectedRevision: 0 });
    const controller = new AbortController();
    const ended = failureOf(many.list({ limit: Infinity, signal: controller.signal }));
    await setImmediate();
    controller.abort();
    expect(await ended).toMatchObject({ code: "ABORTED" });
    const idsOf = async (page: { readonly limit: number; readonly cursor?: string }) => {
      const { threads, ...end } = await many.list(page);
      return { ids: threads.map(({ threadId }) => threadId), ...end };
    };
    expect(await idsOf({ limit: Infinity })).toEqual({ ids: names });
    const { ids, cursor = "" } = await idsOf({ limit: 2500 });
    expect(ids).toEqual(names.slice(0, 2500));
    expect(await idsOf({ limit: Infinity, cursor })).toEqual({ ids: names.slice(2500) });
    await many.close();
  });

  it("shows one version of a thread that is written to meanwhile", async () => {
    const reading = store.read("t");
    await setImmediate();
    await store.append("t", messages("later"));
    const { entries, version, problems } = await reading;
    expect([entries.length, version, problems]).toEqual([LENGTH, LENGTH, []]);
  });

  it("shows one state of a thread whose end is replaced meanwhile, and comes to an end", async () => {
    const { entries: before } = await store.read("t");
    const reading = store.read("t");
    const progress = { isOver: false };
    void reading.finally(() => (progress.isOver = true));
    let last = before.at(-1)?.id ?? "";
    for (let nth = 0; !progress.isOver; nth += 1) {
      await setImmediate();
      const from = nth === 0 ? (before[600]?.id ?? "") : last;
      const replacement = messages(...Array.from({ length: 200 }, (_, at) => `new${nth}-${at}`));
      last = replacement[0]?.id ?? "";
      await store.replaceSuffix("t", {
        from,
        expectedVersion: "any",
        replacement,
        operationId: String(nth),
      });
    }
    const { entries, entryCount, problems } = await reading;
    expect(problems).toEqual([]);
    expect(entries).toHaveLength(entryCount);
    // All as it was, or with one end that replaced it.
    const isUnchanged = entries.every(({ id }, index) => id === before[index]?.id);
    const ends = new Set(entries.slice(600).map(({ id }) => id.split("-")[0]));
    expect(isUnchanged ? 1 : ends.size).toBe(1);
    expect(await store.verify("t")).toEqual([]);
  });
});
