import { HistoryError, isHistoryError, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { describe, expect, it } from "vitest";

import { checkExport, memoryDriver, threadStore } from "./index.ts";
import type { MemoryThreads, ThreadDriver } from "./index.ts";
import { memoryStore } from "./memory-store.ts";

const HEADER = { kind: "export", format: "agent-history-threads", version: 1 };
const ABOUT = { isFork: false, title: null, user: null, tags: [] };
const ROOT = { kind: "thread", name: "", ...ABOUT };

describe("exportThread", () => {
  it("fails with the position of a row that cannot be read, and skips none", async () => {
    const threads: MemoryThreads = new Map();
    const store = storeOn(threads);
    await store.append("t", [one("a"), one("b")]);
    const rows = threads.get("t")?.lanes.h ?? [];
    rows[1] = { position: 1, lane: "c", text: "damaged" };
    const error = await errorOf(linesOf(store));
    const details = { reason: "row", position: 1 };
    expect([error.code, error.details]).toEqual(["THREAD_CORRUPT", details]);
    rows.pop();
    expect((await errorOf(linesOf(store))).details).toEqual(details);
  });

  it("fails with a conflict, and a fork takes what is there, where the end is replaced between pages", async () => {
    const threads: MemoryThreads = new Map();
    const writer = storeOn(threads);
    const ids = Array.from({ length: 1100 }, (_, nth) => `m${nth}`);
    for (let from = 0; from < ids.length; from += 220)
      await writer.append("t", ids.slice(from, from + 220).map(one));
    for (const [nth, run] of [
      async (store: HistoryStore) => linesOf(store),
      async (store: HistoryStore) => store.fork("t", { at: "m500", as: "x" }),
    ].entries()) {
      let pages = 0;
      const wrapDriver = (driver: ThreadDriver): ThreadDriver => ({
        ...driver,
        read: async (thread, asks, call) => {
          pages += asks[0]?.kind === "rows" ? 1 : 0;
          const change = {
            from: `m${900 - nth * 300}`,
            replacement: [],
            operationId: `cut ${nth}`,
          };
          if (pages === 2) await writer.replaceSuffix("t", { ...change, expectedVersion: "any" });
          return driver.read(thread, asks, call);
        },
      });
      const code = await codeOf(run(memoryStore({ threads, wrapDriver })));
      expect(code).toBe(nth === 0 ? "VERSION_CONFLICT" : undefined);
    }
    expect((await writer.read("t/x")).entryCount).toBe(501);
  });

  it("writes one line for each record, with a sum of all before it", async () => {
    const lines = await linesOf(await storeOf("a"));
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual([
      "export",
      "thread",
      "entry",
      "end",
    ]);
    expect(signed(lines.map((line) => ({ ...JSON.parse(line), sum: undefined })))).toEqual(lines);
  });
});

describe("checkExport", () => {
  it("takes what was signed in the order of an export", async () => {
    const text = signed([HEADER, ROOT, entry("a"), end(1, 1)]);
    expect(await checkExport(text)).toEqual({ threads: 1, entries: 1 });
    expect(await checkExport([text.join("").slice(0, -1)])).toEqual({ threads: 1, entries: 1 });
  });

  it("refuses signed lines that no export has, and names the line", async () => {
    const summary = { v: 1, type: "summary", id: "z", createdAtMs: 0, content: "", strategy: "s" };
    const state = { kind: "state", key: 1, value: 1 };
    const fork = { ...ROOT, name: "/x", isFork: true };
    const hostile: readonly (readonly [line: number, records: readonly object[]])[] = [
      [1, [ROOT]],
      [2, [HEADER, HEADER]],
      [2, [HEADER, { ...ROOT, name: "/x" }]],
      [2, [HEADER, { ...ROOT, user: 5 }]],
      [2, [HEADER, entry("a")]],
      [3, [HEADER, ROOT, { ...entry("a"), entry: { v: 1, type: "user_message", id: 1 } }]],
      [3, [HEADER, ROOT, { ...fork, name: "x" }]],
      [4, [HEADER, ROOT, fork, fork]],
      [3, [HEADER, ROOT, { kind: "summary", summary: { ...summary, trust: "user" } }]],
      [3, [HEADER, ROOT, state]],
      [3, [HEADER, ROOT, end(1, 1)]],
      [2, [HEADER, end(0, 0)]],
      [4, [HEADER, ROOT, entry("a")]],
      [4, [HEADER, ROOT, end(1, 0), HEADER]],
      [4, [HEADER, ROOT, end(1, 0), ROOT]],
    ];
    for (const [line, records] of hostile) {
      const error = await errorOf(checkExport(signed(records)));
      expect([error.code, error.details["line"]]).toEqual(["INVALID_ENTRY", line]);
    }
    for (const text of ["", "\n", "null\n", "[]\n", "{}\n", '{"__proto__":{"kind":"export"}}\n']) {
      expect((await errorOf(checkExport([text]))).details["line"]).toBe(1);
    }
  });

  it("refuses a newer version, and a line without an end before it fills the memory", async () => {
    const newer = await errorOf(checkExport(signed([{ ...HEADER, version: 2 }])));
    expect([newer.code, newer.details]).toEqual(["UNKNOWN_VERSION", { version: 2, line: 1 }]);
    let pieces = 0;
    const endless = function* (): Generator<string> {
      for (;;) {
        pieces += 1;
        yield "x".repeat(100_000);
      }
    };
    expect((await errorOf(checkExport(endless()))).code).toBe("INVALID_ENTRY");
    expect(pieces).toBeLessThan(50);
  });
});

describe("importThread", () => {
  it("names the line of what the store refuses", async () => {
    const store = memoryStore();
    const titled = { ...ROOT, title: "x".repeat(2001) };
    const long = signed([HEADER, titled, entry("a"), end(1, 1)]);
    const tooLong = await errorOf(store.importThread("t", long));
    expect([tooLong.code, tooLong.details["line"]]).toEqual(["TOO_LARGE", 2]);
    const twice = signed([HEADER, ROOT, entry("a"), entry("a"), end(1, 2)]);
    const again = await errorOf(store.importThread("u", twice));
    expect([again.code, again.details["line"]]).toEqual(["DUPLICATE_ID", 3]);
  });

  it("begins anew where an earlier try of another export ended, and shows only what is whole", async () => {
    const store = memoryStore();
    const lines = await linesOf(await storeOf("a", "b"));
    await errorOf(store.importThread("t", lines.slice(0, -1)));
    expect(await store.getMetadata("t")).toBeUndefined();
    const other = await linesOf(await storeOf("c"));
    await store.importThread("t", other);
    expect(await linesOf(store)).toEqual(other);
    const again = await errorOf(store.importThread("t", lines));
    expect(again.code).toBe("VERSION_CONFLICT");
    const from = await storeOf("a", "b");
    await from.fork("t", { at: "b", as: "x" });
    await errorOf(store.importThread("u", (await linesOf(from)).slice(0, -1)));
    // Of the earlier try a thread is left that this export has not.
    const left = await errorOf(store.importThread("u", lines));
    expect(left.code).toBe("VERSION_CONFLICT");
    expect(await store.getMetadata("u")).toBeUndefined();
  });
});

describe("importThread once more", () => {
  it("finishes what failed at any commit, with or without effect, and is found only when it is whole", async () => {
    const from = await storeOf("a", "b", "c");
    await from.fork("t", { at: "b", as: "x" });
    await from.append("t/x", [one("d")]);
    await from.setState("t/x", "k", 1, { expectedRevision: 0 });
    const lines = await linesOf(from);
    for (const hasEffect of [false, true]) {
      for (let nth = 1; ; nth += 1) {
        const threads: MemoryThreads = new Map();
        const broken = await codeOf(storeOn(threads, nth, hasEffect).importThread("u", lines));
        const store = storeOn(threads);
        if (broken === undefined) {
          expect(nth).toBeGreaterThan(7);
          break;
        }
        const isWhole = (await store.getMetadata("u")) !== undefined;
        if (isWhole) expect(await linesOf(store, "u")).toEqual(lines);
        else expect(await store.read("u")).toMatchObject({ entries: [], version: 0 });
        const { duplicate } = await store.importThread("u", lines);
        expect(duplicate).toBe(isWhole);
        expect(await linesOf(store, "u")).toEqual(lines);
        expect((await store.list({ withoutForks: true })).threads).toHaveLength(1);
      }
    }
  });
});

/** A store whose nth commit fails, with its effect or without. */
function storeOn(threads: MemoryThreads, nth = Infinity, hasEffect = false): HistoryStore {
  const driver = memoryDriver(threads);
  let commits = 0;
  const commit: ThreadDriver["commit"] = async (...given) => {
    commits += 1;
    if (commits !== nth) return driver.commit(...given);
    if (hasEffect) await driver.commit(...given);
    throw new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
  };
  const description = { kind: "memory", durability: "None.", details: {} };
  const options = { scope: "test", system: "memory", describe: async () => description };
  return threadStore({ ...driver, commit }, options);
}

function one(id: string): HistoryEntry {
  return userMessage({ id, content: id, createdAtMs: 0 });
}

function entry(id: string): object {
  return {
    kind: "entry",
    entry: { v: 1, ...userMessage({ id, content: id, createdAtMs: 0 }) },
    tokens: [],
  };
}

function end(threads: number, entries: number): object {
  return { kind: "end", threads, entries };
}

/** Lines as an export has them, whatever they say. */
function signed(records: readonly object[]): readonly string[] {
  let sum = "";
  return records.map((record) => {
    const stored: object = JSON.parse(JSON.stringify(record));
    sum = contentHash([sum, stored]);
    return `${JSON.stringify({ ...stored, sum })}\n`;
  });
}

async function storeOf(...ids: readonly string[]): Promise<HistoryStore> {
  const store = memoryStore();
  await store.append(
    "t",
    ids.map((id) => userMessage({ id, content: id, createdAtMs: 0 })),
  );
  return store;
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (isHistoryError(error) ? error.code : "other"),
  );
}

async function linesOf(store: HistoryStore, threadId = "t"): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.exportThread(threadId)) lines.push(line);
  return lines;
}

async function errorOf(work: Promise<unknown>): Promise<HistoryError> {
  try {
    await work;
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  throw new Error("Expected an error.");
}
