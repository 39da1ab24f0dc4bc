import { summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresStore } from "./postgres-store.ts";

interface Changed {
  readonly store: HistoryStore;
  readonly change: (sql: string) => Promise<unknown>;
}

/** A thread of three entries, to be changed behind the back of a handle that knows nothing of it. */
async function changedThread(location: string): Promise<Changed> {
  const schema = schemaOf(location);
  const options = { client: pglite, schema };
  await postgresStore(options).append("t", messages("a", "b", "c"));
  return {
    store: postgresStore(options),
    change: (sql) => pglite.query(sql.replaceAll("{schema}", schema)),
  };
}

describe("postgresStore on rows that somebody changed", () => {
  it.each([
    ["another text", `UPDATE {schema}.entries SET json = '{"v":1}' WHERE position = 1`],
    [
      "a text that differs in one letter",
      "UPDATE {schema}.entries SET json = replace(json::text, 'message b', 'message c')::json WHERE position = 1",
    ],
    ["no row", "DELETE FROM {schema}.entries WHERE position = 1"],
  ])("reports %s with its position; the rest stays readable", async (what, sql) => {
    const { store, change } = await changedThread(what);
    await change(sql);
    const { entries, problems, version } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
    expect(version).toBe(3);
    expect(await store.verify("t")).toMatchObject([{ position: 1, kind: "broken" }]);
    await store.append("t", messages("d"));
    const tail = await store.read("t", { query: { clauses: [{}], maxEntries: 2 } });
    expect(tail.entries.map(({ id }) => id)).toEqual(["c", "d"]);
  });

  it.each([
    ["lost its end", "DELETE FROM {schema}.entries WHERE position = 2"],
    ["has more than its head knows", "UPDATE {schema}.entries SET position = 5 WHERE position = 2"],
    ["has less than its head knows", "UPDATE {schema}.threads SET entry_count = 4"],
    [
      "has a head of another version",
      `UPDATE {schema}.threads SET head = replace(head, '"version":3', '"version":2')`,
    ],
    ["has no head", "UPDATE {schema}.threads SET head = NULL"],
    ["has a head that is no JSON", "UPDATE {schema}.threads SET head = '{'"],
    ["shares more than it has", "UPDATE {schema}.logs SET shared = 7"],
    ["lost the row of its log", "DELETE FROM {schema}.logs"],
  ])("writes nothing to a thread that %s", async (what, sql) => {
    const { store, change } = await changedThread(what);
    await change(sql);
    const count = async (): Promise<unknown> =>
      change("SELECT count(*) FROM {schema}.entries").then((found) => JSON.stringify(found));
    const before = await count();
    await expect(store.append("t", messages("d"))).rejects.toMatchObject({
      code: "THREAD_CORRUPT",
    });
    expect(await count()).toBe(before);
  });

  it.each([
    ["a version that no rows stand for", "UPDATE {schema}.threads SET entry_count = 2000000000"],
    [
      "a head of 10^12 entries",
      `UPDATE {schema}.threads SET head = replace(head, '"version":3', '"version":1000000000000')`,
    ],
  ])("reads nothing of %s, and says so", async (what, sql) => {
    const { store, change } = await changedThread(what);
    await change(sql);
    for (const work of [store.read("t"), store.verify("t")]) {
      await expect(work).rejects.toMatchObject({ code: "THREAD_CORRUPT" });
    }
  });

  it("says so where a summary is not what was written", async () => {
    const { store, change } = await changedThread("summary");
    await store.commitCompaction("t", {
      view: "thread",
      summary: summary({ id: "z", content: "short", strategy: "whole", trust: "user" }),
      covers: [{ from: "a", to: "b" }],
      expectedViewRevision: 0,
    });
    await change("UPDATE {schema}.summaries SET json = replace(json::text, 'short', 'long')::json");
    const read = store.read("t", { query: { clauses: [{}], view: "thread" } });
    await expect(read).rejects.toMatchObject({ code: "THREAD_CORRUPT" });
  });

  it("finds an index that was changed", async () => {
    const { store, change } = await changedThread("index");
    await change("UPDATE {schema}.refs SET refs = '' WHERE stream = 'all'");
    expect(await store.verify("t")).toMatchObject([{ kind: "broken" }]);
  });
});
