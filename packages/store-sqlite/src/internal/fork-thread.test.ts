import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { longThread } from "../../test-support/long-thread.ts";
import { messages } from "../../test-support/messages.ts";
import { temporaryFile } from "../../test-support/temporary-folder.ts";
import { sqliteStore } from "../sqlite-store.ts";

const LENGTH = 6000;
const LAST = `${LENGTH / 10 - 1}-answer`;
const INDEX = ["facts", "refs", "streams", "threads"];

describe("forkThread, of a long thread", () => {
  it("writes the index in parts, and nobody finds the fork before the last", async () => {
    const { store, countOf } = await opened();
    const before = countOf("refs");
    const progress = { isOver: false };
    const forking = store.fork("t", { at: LAST, as: "f" }).finally(() => (progress.isOver = true));
    const seen = new Set<number>();
    while (!progress.isOver) {
      await setImmediate();
      seen.add(countOf("refs"));
      const { threads } = await store.list();
      expect(threads.length === 1 || countOf("refs") === 2 * before).toBe(true);
    }
    await forking;
    expect(seen.size).toBeGreaterThan(2);
    expect(await store.verify("t/f")).toEqual([]);
  });

  it("leaves nothing where a part cannot be written, and is done when called again", async () => {
    const { store, database, countOf } = await opened();
    const before = INDEX.map(countOf);
    failAt(database, countOf("refs") + 500);
    const failure = await store.fork("t", { at: LAST, as: "f" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "HistoryError" });
    expect(INDEX.map(countOf)).toEqual(before);
    database.exec("DROP TRIGGER full");
    await store.fork("t", { at: LAST, as: "f" });
    expect(await store.verify("t/f")).toEqual([]);
  });

  it("leaves to the deletion of its parent what a process left that died", async () => {
    const { store, database, countOf } = await opened();
    failAt(database, countOf("refs") + 500);
    database.exec(
      "CREATE TRIGGER kept BEFORE DELETE ON facts BEGIN SELECT raise(ABORT, 'kept'); END",
    );
    await store.fork("t", { at: LAST, as: "f" }).catch((error: unknown) => error);
    expect((await store.list()).threads.map(({ threadId }) => threadId)).toEqual(["t"]);
    expect(countOf("threads")).toBe(2);
    database.exec("DROP TRIGGER full; DROP TRIGGER kept");
    await store.delete("t");
    expect(["entries", ...INDEX].map(countOf)).toEqual([0, 0, 0, 0, 1]);
  });

  it("makes one of two forks of one name by two handles", async () => {
    const { store, other, countOf } = await opened();
    const fork = (by: HistoryStore) => by.fork("t", { at: LAST, as: "f" });
    const answers = await Promise.allSettled([fork(store), fork(other)]);
    const failed = answers.filter((answer) => answer.status === "rejected");
    expect(failed.map(({ reason }) => reason)).toMatchObject([{ code: "VERSION_CONFLICT" }]);
    expect(countOf("threads")).toBe(2);
    expect(await store.verify("t/f")).toEqual([]);
  });

  it("shows one state of a thread whose end another handle replaces meanwhile", async () => {
    const { store, other, countOf } = await opened();
    const before = countOf("refs");
    const forking = store.fork("t", { at: LAST, as: "f" });
    while (countOf("refs") === before) await setImmediate();
    const replacement = messages("other");
    const options = { operationId: "one", expectedVersion: "any" } as const;
    await other.replaceSuffix("t", { from: "500-answer", replacement, ...options });
    await forking;
    const { entries } = await store.read("t/f");
    expect([entries.length, entries.at(-1)?.id]).toEqual([LENGTH, LAST]);
    expect(await store.verify("t/f")).toEqual([]);
  });

  it("ends where its parent is deleted meanwhile", async () => {
    const { store, other, countOf } = await opened();
    const before = countOf("refs");
    const forking = store.fork("t", { at: LAST, as: "f" }).catch((error: unknown) => error);
    while (countOf("refs") === before) await setImmediate();
    await other.delete("t");
    expect(await forking).toMatchObject({ code: "THREAD_DELETED" });
    expect(["entries", ...INDEX].map(countOf)).toEqual([0, 0, 0, 0, 1]);
  });
});

/** Lets no more references be written than this many. */
function failAt(database: DatabaseSync, most: number): void {
  database.exec(
    `CREATE TRIGGER full BEFORE INSERT ON refs WHEN (SELECT count(*) FROM refs) >= ${most} BEGIN SELECT raise(ABORT, 'full'); END`,
  );
}

async function opened() {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  const other = sqliteStore({ path });
  const log = longThread(LENGTH, 20);
  for (let start = 0; start < LENGTH; start += 500) {
    await store.append("t", log.slice(start, start + 500));
  }
  const database = new DatabaseSync(path);
  onTestFinished(async () => {
    database.close();
    await other.close();
    await store.close();
  });
  const countOf = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
  return { store, other, database, countOf };
}
