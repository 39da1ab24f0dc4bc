import { backup, DatabaseSync } from "node:sqlite";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { entryChecksum } from "./internal/checksum.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("sqliteStore on a file that somebody changed", () => {
  it.each<[what: string, value: string | number | Uint8Array, kind: "broken" | "newer"]>([
    ["text that is no JSON", "{", "broken"],
    ["nothing", "", "broken"],
    ["a number", 7, "broken"],
    ["bytes", new Uint8Array([0, 255]), "broken"],
    ["JSON that is no entry", '{"v":1,"type":"user_message"}', "broken"],
    ["an entry of a later release", '{"v":99,"type":"user_message","id":"b"}', "newer"],
  ])("reports %s with its position; the rest stays readable", async (_what, value, kind) => {
    const { store, change } = await changedFile();
    // A later release writes its own checksum.
    const sum = typeof value === "string" ? entryChecksum(1, value, null) : 0;
    change("UPDATE entries SET json = ?, sum = ? WHERE position = 1", value, sum);
    const { entries, problems, version } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind }]);
    expect(version).toBe(3);
    expect(await store.verify("t")).toMatchObject([{ position: 1, kind }]);
    await store.append("t", messages("d"));
    const tail = await store.read("t", { query: { clauses: [{}], maxEntries: 2 } });
    expect(tail.entries.map(({ id }) => id)).toEqual(["c", "d"]);
  });

  it("reports a row that is gone", async () => {
    const { store, change } = await changedFile();
    change("DELETE FROM entries WHERE position = 1");
    const { entries, problems } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
  });

  it.each([
    ["lost its end", "DELETE FROM entries WHERE position = 2"],
    ["has more than its head knows", "UPDATE entries SET position = 5 WHERE position = 2"],
    ["has less than its head knows", "UPDATE threads SET version = 4"],
    [
      "has a head of another version",
      `UPDATE threads SET head = replace(head, '"version":3', '"version":2')`,
    ],
    ["has no head", "UPDATE threads SET head = NULL"],
  ])("writes nothing to a thread that %s", async (_what, sql) => {
    const { store, change, count } = await changedFile();
    change(sql);
    const before = count();
    expect(await failureOf(store.append("t", messages("d")))).toMatchObject({
      code: "THREAD_CORRUPT",
    });
    expect(count()).toBe(before);
  });

  it("finds an index that was changed", async () => {
    const { store, change } = await changedFile();
    change("UPDATE refs SET refs = '' WHERE stream = 'all'");
    expect((await store.verify("t")).length).toBeGreaterThan(0);
  });
});

describe("sqliteStore on a file that an older one has replaced", () => {
  it("says so, on the handle that has seen the newer, and writes nothing", async () => {
    const path = temporaryFile();
    const store = sqliteStore({ path });
    await store.append("t", messages("a"));
    const older = temporaryFile("older.db");
    await copyFile(path, older);
    await store.append("t", messages("b"));
    await copyFile(older, path);
    for (const work of [store.read("t"), store.append("t", messages("c"))]) {
      expect(await failureOf(work)).toMatchObject({
        code: "HISTORY_REWOUND",
        details: { expected: 2, actual: 1 },
      });
    }
    const fresh = sqliteStore({ path });
    expect((await fresh.read("t")).entries).toEqual(messages("a"));
    await fresh.close();
    await store.close();
  });
});

/** As a backup is taken, and put back. */
async function copyFile(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  await backup(source, to);
  source.close();
}

async function changedFile(): Promise<{
  readonly store: HistoryStore;
  readonly change: (sql: string, ...values: (string | number | Uint8Array)[]) => void;
  readonly count: () => unknown;
}> {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  const database = new DatabaseSync(path);
  onTestFinished(async () => {
    database.close();
    await store.close();
  });
  await store.append("t", messages("a", "b"));
  await store.append("t", messages("c"));
  return {
    store,
    change: (sql, ...values) => {
      expect(Number(database.prepare(sql).run(...values).changes)).toBeGreaterThan(0);
    },
    count: () => database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"],
  };
}
