import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { messages } from "../../test-support/messages.ts";
import { temporaryFile } from "../../test-support/temporary-folder.ts";
import { sqliteStore } from "../sqlite-store.ts";

describe("deleteThread", () => {
  it("leaves nothing of a thread but its name", async () => {
    const { store, rowsOf } = await threadWithForks();
    for (const threadId of ["t/x/y", "t/x", "t"]) await store.delete(threadId);
    for (const table of ["entries", "facts", "refs", "summaries", "views", "state"]) {
      expect([table, rowsOf(table)]).toEqual([table, 0]);
    }
    expect(rowsOf("threads")).toBe(3);
  });

  it.each([
    [["t"], 4, ["a b c own"]],
    [["t/x"], 5, ["a b c d e", "a b"]],
    [["t", "t/x"], 2, ["a b"]],
    [["t/x", "t"], 2, ["a b"]],
    [["t/x/y", "t"], 4, ["a b c own"]],
  ])("of %s keeps just the %i entries that others have", async (deleted, kept, logs) => {
    const { store, rowsOf } = await threadWithForks();
    for (const threadId of deleted) await store.delete(threadId);
    const left: string[] = [];
    for (const threadId of ["t", "t/x", "t/x/y"].filter((id) => !deleted.includes(id))) {
      left.push((await store.read(threadId)).entries.map(({ id }) => id).join(" "));
      expect(await store.verify(threadId)).toEqual([]);
    }
    expect(left).toEqual(expect.arrayContaining(logs));
    expect(rowsOf("entries")).toBe(kept);
  });

  it("removes what a process left that died between two transactions", async () => {
    const { store, database, rowsOf } = await threadWithForks();
    await store.delete("t/x/y");
    await store.delete("t/x");
    database.exec("UPDATE threads SET deleted = 1, head = NULL");
    await store.delete("t");
    for (const table of ["entries", "facts", "refs", "streams", "state"]) {
      expect([table, rowsOf(table)]).toEqual([table, 0]);
    }
  });

  it("lets others have their turn after each slice", async () => {
    const { store, rowsOf } = await threadWithForks();
    await appendMany(store, 9000);
    const progress = { isOver: false };
    const deleting = store.delete("t").finally(() => (progress.isOver = true));
    let turns = 0;
    for (; !progress.isOver; turns += 1) await setImmediate();
    await deleting;
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(rowsOf("entries")).toBe(4);
  });

  it("is done for readers before the first slice", async () => {
    const { store } = await threadWithForks();
    await appendMany(store, 5000);
    const deleting = store.delete("t");
    await setImmediate();
    const early = await store.read("t").catch((error: unknown) => error);
    expect(early).toMatchObject({ code: "THREAD_DELETED" });
    await deleting;
  });

  it("says so where the thread is deleted and rows are left", async () => {
    const { store, database, rowsOf } = await threadWithForks();
    await appendMany(store, 5000);
    database.exec(
      "CREATE TRIGGER stop BEFORE DELETE ON entries WHEN (SELECT count(*) FROM entries) < 3000 BEGIN SELECT raise(ABORT, 'stop'); END",
    );
    const failure = await store.delete("t").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(rowsOf("entries")).toBeGreaterThan(4);
    database.exec("DROP TRIGGER stop");
    await store.delete("t");
    expect(rowsOf("entries")).toBe(4);
  });
});

async function appendMany(store: HistoryStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const ids = Array.from({ length: 500 }, (_, nth) => `many-${from + nth}`);
    await store.append("t", messages(...ids));
  }
}

/** A log of five, a fork at the third with one entry of its own, and a fork of that at the second. */
async function threadWithForks(): Promise<{
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
  await store.fork("t/x", { at: "b", as: "y" });
  const rowsOf = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
  return { store, database, rowsOf };
}
