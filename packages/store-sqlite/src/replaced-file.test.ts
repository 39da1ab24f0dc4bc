import { copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";

import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

const REPLACED = {
  code: "STORE_UNAVAILABLE",
  details: { outcome: "not-sent", reason: "file-replaced" },
};

describe("sqliteStore whose file is no longer where it was", () => {
  it.for<[what: string, change: (path: string) => void]>([
    [
      "all of it removed",
      (path) => ["", "-wal", "-shm"].forEach((end) => rmSync(`${path}${end}`, { force: true })),
    ],
    ["only the database removed", (path) => rmSync(path)],
    ["only the log removed", (path) => rmSync(`${path}-wal`)],
    [
      "another put in its place",
      (path) => {
        copyFileSync(path, `${path}.bak`);
        renameSync(`${path}.bak`, path);
      },
    ],
  ])("acknowledges no write into nothing: %s", async ([, change]) => {
    const path = temporaryFile();
    const store = opened(path);
    await store.append("t", messages("a"));
    change(path);
    for (const write of [
      () => store.append("t", messages("b")),
      () => store.append("t", messages("a")),
      () => store.setState("t", "key", 1, { expectedRevision: 0 }),
      () => store.delete("t"),
    ]) {
      expect(await failureOf(write())).toMatchObject(REPLACED);
    }
    await store.close();
  });

  it("takes writes in memory, which has no file", async () => {
    const store = opened(":memory:");
    await store.append("t", messages("a"));
    expect(await store.append("t", messages("b"))).toEqual({ version: 2, duplicate: false });
  });
});

describe("sqliteStore with survivesPowerLoss", () => {
  it("writes something for each answer that a write is there already, so that the commit syncs the log", async () => {
    const path = temporaryFile();
    const store = opened(path, true);
    const other = opened(path);
    await store.append("t", messages("a", "b"));
    await other.append("t", messages("c"));
    await store.delete("gone");
    await other.setMetadata("t", { title: "A title", user: "u1", tags: ["one"] });
    const logBytes = (): number => (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);
    for (const again of [
      () => store.append("t", messages("a", "b")),
      () => store.append("t", messages("c")),
      () => store.delete("gone"),
      () => store.setMetadata("t", { title: "A title" }),
      () => store.setMetadata("t", { tags: ["one"] }),
    ]) {
      const before = logBytes();
      await again();
      // A deletion empties the log by a checkpoint, which syncs too.
      expect(logBytes()).not.toBe(before);
    }
  });
});

function opened(path: string, survivesPowerLoss = false): HistoryStore {
  const store = sqliteStore({ path, survivesPowerLoss });
  onTestFinished(() => store.close());
  return store;
}
