import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as sqlite from "node:sqlite";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("sqliteStore on a locked file", () => {
  it("says so, writes nothing, and takes the same batch once the lock is gone", async () => {
    const path = temporaryFile();
    const store = opened(path, { busyTimeoutMs: 0 });
    await store.append("t", messages("a"));
    const other = rawConnection(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await failureOf(store.append("t", messages("b")))).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "locked" },
    });
    expect(await idsOf(store)).toEqual(["a"]);
    other.exec("ROLLBACK");
    expect(await store.append("t", messages("b"))).toEqual({ version: 2, duplicate: false });
  });

  it("waits for the lock, in the order of the calls, and reads meanwhile", async () => {
    const path = temporaryFile();
    const store = opened(path, { busyTimeoutMs: Infinity });
    await store.append("t", messages("a"));
    const other = rawConnection(path);
    other.exec("BEGIN IMMEDIATE");
    const writes = Promise.all(["b", "c", "d"].map((id) => store.append("t", messages(id))));
    expect(await idsOf(store)).toEqual(["a"]);
    other.exec("COMMIT");
    expect((await writes).map(({ version }) => version)).toEqual([2, 3, 4]);
    expect(await idsOf(store)).toEqual(["a", "b", "c", "d"]);
  });

  it("lets no later call overtake one that waits", async () => {
    const path = temporaryFile();
    const store = opened(path, { busyTimeoutMs: Infinity });
    await store.append("t", messages("a"));
    const other = rawConnection(path);
    other.exec("BEGIN IMMEDIATE");
    const waiting = store.append("t", messages("b"));
    // By the time that a read is answered, the append has met the lock.
    await store.read("t");
    other.exec("COMMIT");
    await store.append("t", messages("c"));
    await waiting;
    expect(await idsOf(store)).toEqual(["a", "b", "c"]);
  });

  it("stops waiting for a caller that has gone", async () => {
    const path = temporaryFile();
    const store = opened(path, { busyTimeoutMs: Infinity });
    await store.append("t", messages("a"));
    const other = rawConnection(path);
    other.exec("BEGIN IMMEDIATE");
    const controller = new AbortController();
    const write = failureOf(store.append("t", messages("b"), { signal: controller.signal }));
    await store.read("t");
    controller.abort();
    expect(await write).toMatchObject({ code: "ABORTED" });
    other.exec("ROLLBACK");
    expect(await idsOf(store)).toEqual(["a"]);
  });
});

describe("sqliteStore on a full disk", () => {
  it("says so, leaves no half batch, and goes on once there is room", async () => {
    const path = temporaryFile();
    let database: sqlite.DatabaseSync | undefined;
    const store = over(path, () => {
      const limited = new sqlite.DatabaseSync(path);
      limited.exec("PRAGMA max_page_count = 40");
      database = limited;
      return limited;
    });
    const sent: string[] = [];
    let failure: Awaited<ReturnType<typeof failureOf>>;
    while (failure === undefined && sent.length < 1000) {
      const ids = Array.from({ length: 20 }, (_, nth) => `m${sent.length + nth}`);
      failure = await failureOf(store.append("t", messages(...ids)));
      if (failure === undefined) sent.push(...ids);
    }
    expect(failure).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "full" },
    });
    expect(await idsOf(store)).toEqual(sent);
    expect(await store.verify("t")).toEqual([]);
    database?.exec("PRAGMA max_page_count = 10000");
    await store.append("t", messages("last"));
    expect(await idsOf(store)).toEqual([...sent, "last"]);
  });
});

describe("sqliteStore on a file that it may not use", () => {
  it("says that a file is read-only, and reads it", async () => {
    const path = temporaryFile();
    await opened(path).append("t", messages("a"));
    const store = over(path, () => new sqlite.DatabaseSync(path, { readOnly: true }));
    expect(await failureOf(store.append("t", messages("b")))).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "read-only" },
    });
    expect(await idsOf(store)).toEqual(["a"]);
  });

  it.each<[what: string, reason: string, make: (path: string) => void]>([
    ["text", "not-a-database", (path) => writeFileSync(path, "not a database\n".repeat(100))],
    ["a folder", "cannot-open", (path) => mkdirSync(path)],
    [
      "another program's database",
      "not-a-history",
      (path) => rawConnection(path).exec("CREATE TABLE notes (text)"),
    ],
  ])("says what is wrong with %s", async (_what, reason, make) => {
    const path = temporaryFile();
    make(path);
    for (const verb of ["append", "read"] as const) {
      const store = opened(path);
      const work = verb === "append" ? store.append("t", messages("a")) : store.read("t");
      expect(await failureOf(work)).toMatchObject({
        code: "STORE_UNAVAILABLE",
        details: { outcome: "not-sent", reason },
      });
    }
  });

  it("says that a folder is missing, and opens the file once it is there", async () => {
    const path = `${temporaryFile("missing")}/history.db`;
    const store = opened(path);
    expect(await failureOf(store.read("t"))).toMatchObject({ details: { reason: "cannot-open" } });
    mkdirSync(dirname(path));
    await store.append("t", messages("a"));
    expect(await idsOf(store)).toEqual(["a"]);
  });
});

function opened(path: string, options: { readonly busyTimeoutMs?: number } = {}): HistoryStore {
  const store = sqliteStore({ path, ...options });
  onTestFinished(async () => store.close());
  return store;
}

/** A store over a connection that a test has made. */
function over(path: string, open: () => sqlite.DatabaseSync): HistoryStore {
  const loading = vi.spyOn(process, "getBuiltinModule");
  const made = function made() {
    return open();
  } as unknown as typeof sqlite.DatabaseSync;
  loading.mockReturnValueOnce({ ...sqlite, DatabaseSync: made });
  const store = sqliteStore({ path, busyTimeoutMs: 0 });
  loading.mockRestore();
  onTestFinished(async () => store.close());
  return store;
}

function rawConnection(path: string): sqlite.DatabaseSync {
  const database = new sqlite.DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

async function idsOf(store: HistoryStore): Promise<readonly string[]> {
  return (await store.read("t")).entries.map(({ id }) => id);
}
