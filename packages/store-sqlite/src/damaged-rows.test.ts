import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { failureOf } from "../test-support/failure-of.ts";
import { longThread } from "../test-support/long-thread.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { compactAgent, LENGTH, shownBy, writtenThread } from "../test-support/written-thread.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("sqliteStore on rows that were changed by hand", () => {
  it("reports a text that another replaced, though it is a sound entry", async () => {
    const { store, change } = await writtenThread();
    change(`UPDATE entries SET json = replace(json, 'xxx', 'yyy') WHERE position = 1`);
    const { entries, problems } = await store.read("t");
    expect(entries).toHaveLength(LENGTH - 1);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
  });

  it("reports two rows that changed places, and counts that were changed", async () => {
    const { store, change } = await writtenThread();
    change("UPDATE entries SET position = -position WHERE position IN (3, 4)");
    change("UPDATE entries SET position = 7 + position WHERE position < 0");
    change(`UPDATE entries SET tokens = '[["counter",1]]' WHERE position = 6`);
    const { problems } = await store.read("t");
    expect(problems.map(({ position }) => position)).toEqual([3, 4, 6]);
  });

  it("takes no damaged row for the entry that is sent again", async () => {
    const { store, change } = await writtenThread();
    change(`UPDATE entries SET json = replace(json, 'xxx', 'yyy') WHERE position = 1`);
    expect(await failureOf(store.append("t", longThread(LENGTH).slice(1, 2)))).toMatchObject({
      code: "THREAD_CORRUPT",
    });
  });

  it("refuses a summary whose text another replaced", async () => {
    const { store, change } = await writtenThread();
    change(`UPDATE summaries SET json = replace(json, 'Short', 'Shirt')`);
    const query = { clauses: [{}], view: "conversation" } as const;
    const { problems } = await store.read("t", { query: { ...query, maxEntries: 1000 } });
    expect(problems).toMatchObject([{ kind: "broken" }]);
  });

  it.each([
    ["all rows of the index", "DELETE FROM refs"],
    ["an agent's rows", "DELETE FROM refs WHERE stream = 'agent:w1'"],
    [
      "the newest row of each stream",
      "DELETE FROM refs WHERE rowid IN (SELECT max(rowid) FROM refs GROUP BY stream)",
    ],
    [
      "the oldest row of each stream",
      "DELETE FROM refs WHERE rowid IN (SELECT min(rowid) FROM refs GROUP BY stream)",
    ],
  ])("reads the log and says so where %s are gone", async (_what, sql) => {
    const { store, change } = await writtenThread();
    const before = await shownBy(store);
    change(sql);
    const after = await shownBy(store);
    expect(after.map(({ ids }) => ids)).toEqual(before.map(({ ids }) => ids));
    expect(after.some(({ problems }) => problems > 0)).toBe(true);
  });

  it("compacts no view whose rows are gone", async () => {
    const { store, change } = await writtenThread();
    change("DELETE FROM refs WHERE stream = 'agent:w1'");
    expect(await failureOf(compactAgent(store))).toMatchObject({ code: "THREAD_CORRUPT" });
  });

  it("shows what is there or says that something is missing, whatever rows of the index are gone", async () => {
    const { path, store } = await writtenThread();
    const before = await shownBy(store);
    await store.close();
    const rows = fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (nths) => {
        const copy = temporaryFile();
        copyFileSync(path, copy);
        const database = new DatabaseSync(copy);
        for (const nth of nths) {
          database
            .prepare("DELETE FROM refs WHERE rowid = (SELECT rowid FROM refs LIMIT 1 OFFSET ?)")
            .run(nth);
        }
        database.close();
        const damaged = sqliteStore({ path: copy });
        expect((await shownBy(damaged)).map(({ ids }) => ids)).toEqual(
          before.map(({ ids }) => ids),
        );
        await damaged.verify("t");
        // Succeeds, or is refused with a type.
        await failureOf(compactAgent(damaged));
        await damaged.close();
      }),
      { numRuns: lawRuns(20) },
    );
  });
});
