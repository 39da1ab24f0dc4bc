import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("delete", () => {
  it("leaves nothing of a thread, and all of its forks", async () => {
    const { store, rowsOf } = await threadWithFork();
    await store.delete("t");
    expect(rowsOf("rows")).toBe(4);
    expect((await store.read("t/x")).entries).toEqual(messages("a", "b", "c", "own"));
    expect(await store.verify("t/x")).toEqual([]);
    await store.delete("t/x");
    // What is left are hashes of two names.
    for (const [table, count] of [
      ["rows", 0],
      ["items", 2],
      ["threads", 1],
    ] as const)
      expect([table, rowsOf(table)]).toEqual([table, count]);
  });

  it("removes a long thread in slices, and lets others have their turn after each", async () => {
    const { store, rowsOf } = await threadWithFork();
    await appendMany(store, 9000);
    const progress = { isOver: false };
    const deleting = store.delete("t").finally(() => (progress.isOver = true));
    let turns = 0;
    for (; !progress.isOver; turns += 1) await setImmediate();
    await deleting;
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(rowsOf("rows")).toBe(4);
  });

  it("removes what a process left that died between two slices", async () => {
    const { store, database, rowsOf } = await threadWithFork();
    await appendMany(store, 5000);
    database.exec(
      "CREATE TRIGGER stop BEFORE DELETE ON rows WHEN (SELECT count(*) FROM rows) < 3000 BEGIN SELECT raise(ABORT, 'stop'); END",
    );
    await expect(store.delete("t")).rejects.toThrow("SQLite refused");
    await expect(store.read("t")).rejects.toMatchObject({ code: "THREAD_DELETED" });
    expect(rowsOf("rows")).toBeGreaterThan(4);
    database.exec("DROP TRIGGER stop");
    await store.delete("t");
    expect(rowsOf("rows")).toBe(4);
  });
});

async function appendMany(store: HistoryStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const ids = Array.from({ length: 500 }, (_, nth) => `many-${from + nth}`);
    await store.append("t", messages(...ids));
  }
}

/** A log of five, and a fork at the third with one entry of its own. */
async function threadWithFork(): Promise<{
  readonly store: HistoryStore;
  readonly database: DatabaseSync;
  readonly rowsOf: (table: string) => number;
}> {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  const database = new DatabaseSync(path);
  onTestFinished(async () => {
    database.close();
    await store.close();
  });
  await store.append("t", messages("a", "b", "c", "d", "e"));
  await store.setState("t", "key", 1, { expectedRevision: 0 });
  await store.fork("t", { at: "c", as: "x" });
  await store.append("t/x", messages("own"));
  const rowsOf = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
  return { store, database, rowsOf };
}
