import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";
import type { SqliteStore } from "./sqlite-store.ts";

describe("backup", () => {
  it("copies everything, the writes that were called before it included, to a file that opens as a store", async () => {
    const store = opened(temporaryFile());
    await store.append("t", messages("a", "b", "c"), { tokens: new Map([["n", [1, 2, 3]]]) });
    await store.fork("t", { at: "b", as: "x" });
    const edit = { from: "c", expectedVersion: 3, replacement: messages("d"), operationId: "o" };
    await store.replaceSuffix("t", edit);
    await store.setState("t", "key", 1, { expectedRevision: 0 });
    await store.delete("gone");
    const path = temporaryFile();
    const last = store.append("t", messages("e"));
    await store.backup(path);
    await last;
    const listed = await store.list();
    await store.append("t", messages("later"));
    const copy = opened(path);
    expect(await copy.list()).toEqual(listed);
    expect((await copy.read("t")).entries).toEqual(messages("a", "b", "d", "e"));
    expect(await copy.read("t/x")).toEqual(await store.read("t/x"));
    expect(await copy.getState("t", "key")).toEqual({ value: 1, revision: 1 });
    expect(await copy.replaceSuffix("t", edit)).toEqual({ version: 5 });
    expect(await failureOf(copy.read("gone"))).toMatchObject({ code: "THREAD_DELETED" });
    expect(await copy.verify("t")).toEqual([]);
    expect(readdirSync(dirname(path)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("is restored in place of the file, once every store on it was closed", async () => {
    const path = temporaryFile();
    const saved = temporaryFile();
    const before = opened(path);
    await before.append("t", messages("a"));
    await before.backup(saved);
    await before.append("t", messages("b"));
    await before.close();
    for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    copyFileSync(saved, path);
    const after = opened(path);
    expect((await after.read("t")).entries).toEqual(messages("a"));
    expect(await after.append("t", messages("c"))).toEqual({ version: 2, duplicate: false });
  });

  it("is whole while other handles write, and keeps none of them out", async () => {
    const path = temporaryFile();
    const [store, writer] = [opened(path), opened(path)];
    await writer.append("t", messages("m0"));
    const writes = Array.from({ length: 40 }, (_, nth) =>
      writer.append("t", messages(`m${nth + 1}`, `n${nth + 1}`)),
    );
    const saved = temporaryFile();
    await store.backup(saved);
    await Promise.all(writes);
    const copy = opened(saved);
    const { entries } = await copy.read("t");
    expect(entries.length % 2).toBe(1);
    expect(await copy.verify("t")).toEqual([]);
    expect((await store.read("t")).entryCount).toBe(81);
  });

  it("writes over nothing, and leaves nothing where it fails", async () => {
    const store = opened(temporaryFile());
    await store.append("t", messages("a"));
    const there = temporaryFile();
    writeFileSync(there, "mine");
    expect(await failureOf(store.backup(there))).toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "path" },
    });
    for (const path of ["", ":memory:"]) {
      expect(await failureOf(store.backup(path))).toMatchObject({ code: "INVALID_OPTION" });
    }
    const missing = join(dirname(temporaryFile()), "missing", "file");
    expect(await failureOf(store.backup(missing))).toMatchObject({ code: "STORE_UNAVAILABLE" });
    mkdirSync(dirname(missing));
    await store.backup(missing);
    expect(existsSync(missing)).toBe(true);
    const gone = { signal: AbortSignal.abort() };
    expect(await failureOf(store.backup(`${missing}2`, gone))).toMatchObject({ code: "ABORTED" });
    await store.close();
    expect(await failureOf(store.backup(`${missing}3`))).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { reason: "closed" },
    });
    expect(readdirSync(dirname(missing))).toEqual(["file"]);
  });
});

function opened(path: string): SqliteStore {
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  return store;
}
