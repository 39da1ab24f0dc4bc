import { readFileSync } from "node:fs";
import * as sqlite from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../../test-support/failure-of.ts";
import { FIXTURE_THREADS } from "../../test-support/fixture-threads.ts";
import { messages } from "../../test-support/messages.ts";
import { temporaryFile } from "../../test-support/temporary-folder.ts";
import { sqliteStore } from "../sqlite-store.ts";
import { MIGRATIONS } from "./migrations.ts";
import { migrate } from "./open-database.ts";

/** Made by the code of version 1: `pnpm fixture`. */
const VERSION_1 = new URL("../../test-support/version-1.sql", import.meta.url);

describe("a file of version 1", () => {
  it("is read whole, and written on", async () => {
    const path = fileOfVersion1();
    const store = sqliteStore({ path });
    onTestFinished(async () => store.close());
    for (const { threadId, query, originals, shown } of FIXTURE_THREADS) {
      const { entries, problems } = await store.read(threadId, { query, originals });
      expect([threadId, ...entries.map(({ id }) => id)]).toEqual([threadId, ...shown]);
      expect(problems).toEqual([]);
    }
    for (const { threadId } of FIXTURE_THREADS) {
      // Facts of that version say less.
      expect(await store.reindex(threadId)).toEqual([]);
      await store.append(threadId, messages("later"));
      expect(await store.verify(threadId)).toEqual([]);
    }
    expect(await store.getState("t", "plan")).toEqual({ value: { next: 7 }, revision: 1 });
    expect(await failureOf(store.read("gone"))).toMatchObject({ code: "THREAD_DELETED" });
    expect((await store.describe()).details["fileVersion"]).toBe(MIGRATIONS.length);
  });
});

describe("migrate", () => {
  const next = "CREATE TABLE added (thread INTEGER); UPDATE entries SET tokens = NULL";

  it("takes a file from version to version, once", () => {
    const database = opened(fileOfVersion1());
    const count = rowsOf(database, "entries");
    for (let time = 0; time < 2; time++) migrate(database, [...MIGRATIONS, next]);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({
      user_version: MIGRATIONS.length + 1,
    });
    expect(rowsOf(database, "added")).toBe(0);
    expect(rowsOf(database, "entries")).toBe(count);
  });

  it("leaves a file as it was where a step fails", () => {
    const path = fileOfVersion1();
    const database = opened(path);
    const before = database.prepare("SELECT group_concat(sql) AS sql FROM sqlite_master").get();
    expect(() => migrate(database, [...MIGRATIONS, `${next}; BROKEN`])).toThrow(/BROKEN/);
    expect(database.prepare("SELECT group_concat(sql) AS sql FROM sqlite_master").get()).toEqual(
      before,
    );
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  });

  it("refuses a file of a later release, and leaves it as it was", async () => {
    const path = fileOfVersion1();
    opened(path).exec("PRAGMA user_version = 99");
    const store = sqliteStore({ path });
    expect(await failureOf(store.append("t", messages("later")))).toMatchObject({
      code: "UNKNOWN_VERSION",
      details: { version: 99 },
    });
    expect(opened(path).prepare("PRAGMA user_version").get()).toEqual({ user_version: 99 });
    await store.close();
  });
});

function fileOfVersion1(): string {
  const path = temporaryFile();
  const database = new sqlite.DatabaseSync(path);
  database.exec(readFileSync(VERSION_1, "utf8"));
  database.close();
  return path;
}

function opened(path: string): sqlite.DatabaseSync {
  const database = new sqlite.DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

function rowsOf(database: sqlite.DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
}
