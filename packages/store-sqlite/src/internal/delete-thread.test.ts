import { DatabaseSync } from "node:sqlite";

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
});

/** A log of five, a fork at the third with one entry of its own, and a fork of that at the second. */
async function threadWithForks(): Promise<{
  readonly store: HistoryStore;
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
  return { store, rowsOf };
}
