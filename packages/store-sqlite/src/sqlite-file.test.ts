import * as sqlite from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { migrate, TABLES } from "./sqlite-file.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("migrate", () => {
  const next = "CREATE TABLE added (thread INTEGER); UPDATE rows SET lane = NULL";

  it("takes a file from version to version, once", async () => {
    const path = await writtenFile();
    const database = opened(path);
    for (let time = 0; time < 2; time++) migrate(database, [TABLES, next]);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 2 });
    expect(database.prepare("SELECT count(*) AS count FROM rows").get()).toEqual({ count: 1 });
  });

  it("leaves a file as it was if a step fails", async () => {
    const database = opened(await writtenFile());
    const tables = () =>
      database.prepare("SELECT group_concat(sql) AS sql FROM sqlite_master").get();
    const before = tables();
    expect(() => migrate(database, [TABLES, `${next}; BROKEN`])).toThrow(/BROKEN/);
    expect(tables()).toEqual(before);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  });

  it("refuses a file of a later release, and leaves it as it was", async () => {
    const path = await writtenFile();
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

async function writtenFile(): Promise<string> {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  await store.append("t", messages("a"));
  await store.close();
  return path;
}

function opened(path: string): sqlite.DatabaseSync {
  const database = new sqlite.DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}
