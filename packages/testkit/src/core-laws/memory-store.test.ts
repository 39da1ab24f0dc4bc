import type { HistoryErrorCode, HistoryQuery, HistoryStore } from "@agent-history/core";
import { applyCompactions, assistantMessage, summary, userMessage } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { selectEntries } from "@agent-history/core/query-parts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { deepFreeze } from "../deep-freeze.ts";
import { lawRuns } from "../law-runs.ts";

const one = userMessage({ id: "u1", content: "one" });
const two = assistantMessage({ id: "a1", content: "two" });
const three = userMessage({ id: "u2", content: "three" });
const four = assistantMessage({ id: "a2", content: "four" });
const everything: HistoryQuery = { clauses: [{}], view: "thread" };

describe("memoryStore", () => {
  it("keeps what is appended, in order, and says the version", async () => {
    const store = memoryStore();
    expect(await store.append("t", [one, two])).toEqual({ version: 2, duplicate: false });
    expect(await store.append("t", [three])).toEqual({ version: 3, duplicate: false });
    const { entries, version, problems } = await store.read("t");
    expect(entries).toEqual([one, two, three]);
    expect([version, problems]).toEqual([3, []]);
  });

  it("copies on the way in and out (L8)", async () => {
    const store = memoryStore();
    const given = { ...one, metadata: { key: "before" } };
    await store.append("t", [given]);
    given.metadata.key = "after";
    const first = await store.read("t");
    expect(first.entries).toEqual([{ ...one, metadata: { key: "before" } }]);
    expect((await store.read("t")).entries[0]).not.toBe(first.entries[0]);
  });

  it("takes a batch once, whatever version the retry expects", async () => {
    const store = memoryStore();
    await store.append("t", [one, two], { expectedVersion: "none" });
    const retry = await store.append("t", [one, two], { expectedVersion: "none" });
    expect(retry).toEqual({ version: 2, duplicate: true });
    expect(await ids(store)).toBe("u1 a1");
  });

  it("refuses an id that stands for another entry, and a batch that is known in part", async () => {
    const store = memoryStore();
    await store.append("t", [one, two]);
    const altered = { ...one, content: "else" };
    expect(await codeOf(store.append("t", [altered]))).toBe("DUPLICATE_ID");
    expect(await codeOf(store.append("t", [two, three]))).toBe("DUPLICATE_ID");
    expect(await codeOf(store.append("t", [three, three]))).toBe("DUPLICATE_ID");
    expect(await ids(store)).toBe("u1 a1");
  });

  it("checks the expected version in every mode", async () => {
    const store = memoryStore();
    expect(await codeOf(store.append("t", [one], { expectedVersion: "exists" }))).toBe(
      "VERSION_CONFLICT",
    );
    expect(await codeOf(store.append("t", [one], { expectedVersion: 1 }))).toBe("VERSION_CONFLICT");
    await store.append("t", [one], { expectedVersion: "none" });
    expect(await codeOf(store.append("t", [two], { expectedVersion: "none" }))).toBe(
      "VERSION_CONFLICT",
    );
    await store.append("t", [two], { expectedVersion: 1 });
    await store.append("t", [three], { expectedVersion: "exists" });
    expect((await store.append("t", [four], { expectedVersion: "any" })).version).toBe(4);
  });

  it("gives back counts beside the entries", async () => {
    const store = memoryStore();
    await store.append("t", [one], { tokens: new Map([["o200k", [7]]]) });
    await store.append("t", [two]);
    expect((await store.read("t")).tokens).toEqual(new Map([["o200k", [7, undefined]]]));
  });

  it("answers a query as selectEntries does", async () => {
    const query: HistoryQuery = { clauses: [{ lastTurns: { count: 1 } }], view: "conversation" };
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(), async (entries) => {
        const store = memoryStore();
        await store.append("t", deepFreeze(entries));
        const read = await store.read("t", { query });
        expect(read.entries).toEqual(selectEntries(applyCompactions(entries, query.view), query));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("commits a compaction to one view, and gives the originals back layer by layer (L11)", async () => {
    const store = memoryStore();
    await store.append("t", [one, two, three, four]);
    await compact(store, "z1", ["u1", "a1"], 0);
    await compact(store, "z2", ["z1", "u2"], 1);
    expect(await ids(store)).toBe("z2 a2");
    expect((await store.read("t")).entries).toEqual([one, two, three, four]);
    expect((await store.read("t", { query: everything, originals: true })).entries.length).toBe(4);
    expect(await codeOf(store.expand("t", "z1"))).toBe("NOT_FOUND");
    await store.expand("t", "z2");
    expect(await ids(store)).toBe("z1 u2 a2");
    expect(await store.expand("t", "z1")).toEqual({ viewRevision: 4 });
    expect(await ids(store)).toBe("u1 a1 u2 a2");
    expect((await store.read("t", { query: everything })).version).toBe(4);
  });

  it("refuses a compaction of a view that moved on, or of what it does not show", async () => {
    const store = memoryStore();
    await store.append("t", [one, two, three]);
    await compact(store, "z1", ["u1", "a1"], 0);
    expect(await codeOf(compact(store, "z2", ["u2", "u2"], 0))).toBe("VERSION_CONFLICT");
    expect(await codeOf(compact(store, "z2", ["u1", "u2"], 1))).toBe("NOT_FOUND");
    expect(await codeOf(compact(store, "z2", ["u2", "z1"], 1))).toBe("NOT_FOUND");
    expect(await codeOf(compact(store, "u2", ["u2", "u2"], 1))).toBe("DUPLICATE_ID");
    const nothing = { ...compaction("z3"), covers: [], expectedViewRevision: 1 };
    expect(await codeOf(store.commitCompaction("t", nothing))).toBe("NOT_FOUND");
    const run = { from: "u2", to: "u2" };
    const twice = { ...compaction("z3"), covers: [run, run], expectedViewRevision: 1 };
    expect(await codeOf(store.commitCompaction("t", twice))).toBe("NOT_FOUND");
    expect(await ids(store)).toBe("z1 u2");
  });

  it("keeps small state beside the log, by revision", async () => {
    const store = memoryStore();
    expect(await store.getState("t", "plan")).toBeUndefined();
    await store.setState("t", "plan", { a: 1 }, { expectedRevision: 0 });
    expect(await codeOf(store.setState("t", "plan", 2, { expectedRevision: 0 }))).toBe(
      "VERSION_CONFLICT",
    );
    expect(await store.getState("t", "plan")).toEqual({ value: { a: 1 }, revision: 1 });
  });

  it("forks a thread at an entry, with the summaries that cover nothing later", async () => {
    const store = memoryStore();
    await store.append("t", [one, two, three, four]);
    await compact(store, "z1", ["u1", "a1"], 0);
    await compact(store, "z2", ["u2", "a2"], 1);
    const { threadId } = await store.fork("t", { at: "u2", as: "try" });
    expect(threadId).toBe("t/try");
    expect(await ids(store, threadId)).toBe("z1 u2");
    await store.append(threadId, [{ ...four, id: "b1" }]);
    expect(await ids(store)).toBe("z1 z2");
    expect(await codeOf(store.fork("t", { at: "u2", as: "try" }))).toBe("VERSION_CONFLICT");
    expect(await codeOf(store.fork("t", { at: "gone", as: "else" }))).toBe("NOT_FOUND");
  });

  it("lists threads by prefix, page by page", async () => {
    const store = memoryStore();
    for (const threadId of ["b", "a/1", "a/2", "a/3"]) await store.append(threadId, [one]);
    const first = await store.list({ prefix: "a/", limit: 2 });
    expect(first).toMatchObject({
      threads: [{ threadId: "a/1" }, { threadId: "a/2" }],
      cursor: "a/2",
    });
    expect(await store.list({ prefix: "a/", cursor: "a/2" })).toMatchObject({
      threads: [{ threadId: "a/3" }],
    });
  });

  it("does not let a late retry bring a deleted thread back", async () => {
    const store = memoryStore();
    await store.append("t", [one]);
    await store.delete("t");
    expect(await codeOf(store.append("t", [one]))).toBe("THREAD_DELETED");
    expect(await codeOf(store.read("t"))).toBe("THREAD_DELETED");
    expect((await store.list()).threads).toEqual([]);
  });

  it("is a second handle on the threads of another, which closes alone", async () => {
    const store = memoryStore();
    const second = memoryStore({ sharing: store });
    await second.append("t", [one]);
    await second.close();
    expect(await ids(store)).toBe("u1");
    expect(await codeOf(second.read("t"))).toBe("STORE_UNAVAILABLE");
    expect(() => memoryStore({ sharing: { ...store } })).toThrow(/`sharing`/);
  });

  it("changes nothing for a caller that has gone", async () => {
    const store = memoryStore();
    const signal = AbortSignal.abort();
    expect(await codeOf(store.append("t", [one], { signal }))).toBe("ABORTED");
    expect((await store.read("t")).entries).toEqual([]);
  });
});

async function ids(store: HistoryStore, threadId = "t"): Promise<string> {
  const { entries } = await store.read(threadId, { query: everything });
  return entries.map(({ id }) => id).join(" ");
}

function compaction(id: string) {
  const fields = { content: "short", strategy: "whole", trust: "user" } as const;
  return { view: "thread", summary: summary({ id, ...fields }) } as const;
}

function compact(
  store: HistoryStore,
  id: string,
  [from, to]: readonly [string, string],
  expectedViewRevision: number,
): Promise<unknown> {
  return store.commitCompaction("t", {
    ...compaction(id),
    covers: [{ from, to }],
    expectedViewRevision,
  });
}

async function codeOf(work: Promise<unknown>): Promise<HistoryErrorCode | undefined> {
  return work.then(
    () => undefined,
    (error: { readonly code?: HistoryErrorCode }) => error.code,
  );
}
