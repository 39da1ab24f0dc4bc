import { DatabaseSync } from "node:sqlite";

import { lawRuns } from "@agent-history/testkit";
import { describe, expect, it } from "vitest";

import { countBatches } from "../test-support/count-batches.ts";
import { startWriter } from "../test-support/start-writer.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** How many writers are killed. */
const KILLS = lawRuns(4);
/** How many batches each of four processes writes to one thread. */
const BATCHES = lawRuns(40);

describe("a writer that is killed", () => {
  it("leaves no torn batch, and every acknowledged one", async () => {
    const path = temporaryFile();
    let acknowledged = 0;
    for (let nth = 0; nth < KILLS; nth++) {
      const writer = startWriter(path, `w${nth}`, {
        threadId: `t${nth}`,
        batches: 100_000,
        largest: 150,
        killAfter: 1 + ((nth * 13) % 30),
      });
      await writer.ended;
      acknowledged += writer.acknowledged() + 1;
      const store = sqliteStore({ path });
      const { whole, ...wrong } = countBatches((await store.read(`t${nth}`)).entries);
      expect(wrong).toEqual({ torn: 0, doubled: 0, outOfOrder: 0 });
      expect(whole.get(`w${nth}`) ?? 0).toBeGreaterThan(writer.acknowledged());
      expect(await store.verify(`t${nth}`)).toEqual([]);
      await store.close();
      expect(integrityOf(path)).toBe("ok");
    }
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS);
  });
});

describe("several processes on one file", () => {
  it("lose nothing, double nothing, and keep each one's order", async () => {
    const path = temporaryFile();
    const names = ["w0", "w1", "w2", "w3"];
    const writers = names.map((name) =>
      startWriter(path, name, { threadId: "t", batches: BATCHES, largest: 5 }),
    );
    await Promise.all(writers.map(async ({ ended }) => ended));
    const store = sqliteStore({ path });
    const { entries, version } = await store.read("t");
    const { whole, ...wrong } = countBatches(entries);
    expect(wrong).toEqual({ torn: 0, doubled: 0, outOfOrder: 0 });
    expect(whole).toEqual(new Map(names.map((name) => [name, BATCHES])));
    expect(version).toBe(entries.length);
    expect(await store.verify("t")).toEqual([]);
    await store.close();
  });
});

function integrityOf(path: string): unknown {
  const database = new DatabaseSync(path);
  const row = database.prepare("PRAGMA integrity_check").get();
  database.close();
  return row?.["integrity_check"];
}
