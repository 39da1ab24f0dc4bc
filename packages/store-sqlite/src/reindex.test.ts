import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { compactAgent, shownBy, writtenThread } from "../test-support/written-thread.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** What can be done to a row of the index, by its number. */
const DAMAGES: readonly string[] = [
  "DELETE FROM refs WHERE rowid = (SELECT rowid FROM refs LIMIT 1 OFFSET ?)",
  "UPDATE refs SET refs = '' WHERE rowid = (SELECT rowid FROM refs LIMIT 1 OFFSET ?)",
  "UPDATE refs SET refs = 'nonsense' WHERE rowid = (SELECT rowid FROM refs LIMIT 1 OFFSET ?)",
  "UPDATE refs SET previous = previous + 1 WHERE rowid = (SELECT rowid FROM refs LIMIT 1 OFFSET ?)",
  "UPDATE streams SET last = last - 1 WHERE rowid = (SELECT rowid FROM streams LIMIT 1 OFFSET ? % 5)",
  "DELETE FROM streams WHERE rowid = (SELECT rowid FROM streams LIMIT 1 OFFSET ? % 5)",
  "DELETE FROM facts WHERE rowid = (SELECT rowid FROM facts LIMIT 1 OFFSET ? % 9)",
  "UPDATE facts SET value = '[]' WHERE rowid = (SELECT rowid FROM facts LIMIT 1 OFFSET ? % 9)",
  "UPDATE facts SET value = 'nonsense' WHERE rowid = (SELECT rowid FROM facts LIMIT 1 OFFSET ? % 9)",
  "UPDATE views SET state = 'nonsense' WHERE ? < 1000",
  "DELETE FROM views WHERE ? < 1000",
  "UPDATE threads SET head = json_set(head, '$.taskDoubt', ?)",
  "UPDATE threads SET head = json_set(head, '$.turns.start', ?)",
];

describe("reindex", () => {
  it("repairs whatever is damaged of an index: the thread shows and takes what it did before", async () => {
    const { path, store } = await writtenThread();
    // A view whose summary is gone again has a state too.
    await compactAgent(store);
    await store.expand("t", "y");
    const before = await shownBy(store);
    await store.close();
    const damage = fc.record({ sql: fc.constantFrom(...DAMAGES), nth: fc.nat({ max: 120 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
        const copy = temporaryFile();
        copyFileSync(path, copy);
        const database = new DatabaseSync(copy);
        for (const { sql, nth } of damages) database.prepare(sql).run(nth);
        database.close();
        const damaged = sqliteStore({ path: copy });
        expect(await damaged.reindex("t")).toEqual([]);
        expect(await damaged.verify("t")).toEqual([]);
        expect(await shownBy(damaged)).toEqual(before);
        await compactAgent(damaged);
        expect(await damaged.append("t", messages("later"))).toMatchObject({ duplicate: false });
        expect(await damaged.verify("t")).toEqual([]);
        await damaged.close();
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("never gives the revision of a view again whose row is gone", async () => {
    const { store, change } = await writtenThread();
    await store.expand("t", "z");
    await compactAgent(store);
    change("DELETE FROM views WHERE view LIKE 'agent%'");
    expect(await store.reindex("t")).toEqual([]);
    const { viewRevision } = await store.read("t", { query: { clauses: [{}], view: "agent:w1" } });
    expect(viewRevision).toBeGreaterThanOrEqual(1);
  });

  it("writes nothing where a row of the log cannot be read, and says which", async () => {
    const { store, change } = await writtenThread();
    change("DELETE FROM refs WHERE stream = 'all'");
    change("UPDATE entries SET json = replace(json, 'xxx', 'yyy') WHERE position = 1");
    expect(await store.reindex("t")).toMatchObject([{ position: 1, kind: "broken" }]);
    expect((await store.verify("t")).length).toBe(1);
  });

  it("writes nothing to a sound thread", async () => {
    const { path, store } = await writtenThread();
    const database = new DatabaseSync(path);
    const version = (): unknown => database.prepare("PRAGMA data_version").get();
    const before = version();
    expect(await store.reindex("t")).toEqual([]);
    expect(version()).toEqual(before);
    database.close();
  });
});
