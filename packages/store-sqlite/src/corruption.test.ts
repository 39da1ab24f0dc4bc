import { backup, DatabaseSync } from "node:sqlite";

import type { HistoryStore } from "@agent-history/core";
import { summary } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("sqliteStore on rows that somebody changed", () => {
  it.each<[what: string, value: string | number | Uint8Array]>([
    ["text that is no JSON", "{"],
    ["nothing", ""],
    ["a number", 7],
    ["bytes", new Uint8Array([0, 255])],
    ["JSON that is no entry", '[0,0,0,0,0]\n{"v":1,"type":"user_message"}'],
  ])("reports %s with its position; the rest stays readable", async (_what, value) => {
    const { store, change } = await changedFile();
    change(
      "UPDATE rows SET text = ? WHERE place % 1000 = (SELECT min(place) + 1 FROM rows) % 1000",
      value,
    );
    const { entries, problems, version } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
    expect(version).toBe(3);
    expect(await store.verify("t")).toMatchObject([{ position: 1, kind: "broken" }]);
    await store.append("t", messages("d"));
    const tail = await store.read("t", { query: { clauses: [{}], maxEntries: 2 } });
    expect(tail.entries.map(({ id }) => id)).toEqual(["c", "d"]);
  });

  it("reports a text that another replaced, though it is a sound entry, and two rows that changed places", async () => {
    const { store, change } = await changedFile();
    change("UPDATE rows SET text = replace(text, 'message b', 'message x')");
    expect((await store.read("t")).problems).toMatchObject([{ position: 1, kind: "broken" }]);
    change("UPDATE rows SET text = replace(text, 'message x', 'message b')");
    expect(await store.verify("t")).toEqual([]);
    change("UPDATE rows SET place = -place");
    change("UPDATE rows SET place = (SELECT -min(place) - max(place) FROM rows) + place");
    expect((await store.read("t")).problems.map(({ position }) => position)).toEqual([0, 2]);
  });

  it("takes no damaged row for the entry that is sent again", async () => {
    const { store, change } = await changedFile();
    change("UPDATE rows SET text = replace(text, 'message b', 'message x')");
    expect(await failureOf(store.append("t", messages("b")))).toMatchObject({
      code: "THREAD_CORRUPT",
    });
  });

  it("reports a row that is gone, and one that is not found by its id", async () => {
    const { store, change } = await changedFile();
    change("DELETE FROM items WHERE kind = 'i' AND key = 'c'");
    expect(await store.verify("t")).toMatchObject([{ position: 2, kind: "broken" }]);
    change("DELETE FROM rows WHERE place = (SELECT min(place) + 1 FROM rows)");
    const { entries, problems } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
    expect((await store.verify("t")).map(({ position }) => position)).toEqual([1, 2]);
  });

  it("writes nothing to a thread whose head cannot be read, and deletes it", async () => {
    const { path, change, count } = await changedFile();
    change("UPDATE threads SET head = 'x'");
    const before = count();
    const store = sqliteStore({ path });
    expect(await failureOf(store.append("t", messages("d")))).toMatchObject({
      code: "THREAD_CORRUPT",
    });
    expect(count()).toBe(before);
    await store.delete("t");
    expect(count()).toBe(0);
    await store.close();
  });

  it("refuses a thread of a later release", async () => {
    const { store, change } = await changedFile();
    change("UPDATE threads SET stamp = stamp + 1, head = json_set(head, '$.v', 99)");
    for (const work of [store.read("t"), store.append("t", messages("d"))])
      expect(await failureOf(work)).toMatchObject({
        code: "UNKNOWN_VERSION",
        details: { version: 99 },
      });
  });

  it("replaces no end that cannot be read", async () => {
    const { store, change } = await changedFile();
    change("UPDATE rows SET text = replace(text, 'message b', 'message x')");
    const edit = { from: "b", expectedVersion: "any", replacement: [], operationId: "o" } as const;
    expect(await failureOf(store.replaceSuffix("t", edit))).toMatchObject({
      code: "THREAD_CORRUPT",
    });
  });

  it("refuses a summary that is no longer one", async () => {
    const { store, change } = await changedFile();
    await store.commitCompaction("t", {
      view: "thread",
      summary: summary({ id: "z", content: "", strategy: "s", trust: "user", createdAtMs: 0 }),
      covers: [{ from: "a", to: "b" }],
      expectedViewRevision: 0,
    });
    change("UPDATE items SET value = '{' WHERE kind = 'o'");
    const query = { clauses: [{}], view: "thread" } as const;
    expect(await failureOf(store.read("t", { query }))).toMatchObject({ code: "THREAD_CORRUPT" });
    expect((await store.read("t")).entries).toHaveLength(3);
  });
});

describe("sqliteStore on a file that an older one has replaced", () => {
  it("says so once, on the handle that has seen the newer, and writes nothing", async () => {
    const path = temporaryFile();
    const store = sqliteStore({ path });
    await store.append("t", messages("a"));
    const older = temporaryFile("older.db");
    await copyFile(path, older);
    await store.append("t", messages("b"));
    await copyFile(older, path);
    expect(await failureOf(store.append("t", messages("c")))).toMatchObject({
      code: "HISTORY_REWOUND",
    });
    expect((await store.read("t")).entries).toEqual(messages("a"));
    await copyFile(older, path);
    await store.append("t", messages("d"));
    await copyFile(older, path);
    expect(await failureOf(store.read("t"))).toMatchObject({ code: "HISTORY_REWOUND" });
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
  readonly path: string;
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
    path,
    store,
    change: (sql, ...values) => {
      expect(Number(database.prepare(sql).run(...values).changes)).toBeGreaterThan(0);
    },
    count: () => database.prepare("SELECT count(*) AS count FROM rows").get()?.["count"],
  };
}
