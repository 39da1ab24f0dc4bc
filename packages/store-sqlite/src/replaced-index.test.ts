import { DatabaseSync } from "node:sqlite";

import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { summary } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";

import { arbitraryOddLog } from "../test-support/odd-log.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** A replacement: how much of the log stays, what comes then, and whether a summary is committed before it. */
const replacement = fc.record({
  keeps: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(256, 255, 257, 512)),
  entries: arbitraryOddLog({ minLength: 0, maxLength: 40 }),
  compacts: fc.boolean(),
});

it("leaves the index that a thread with this log would have had from the beginning", async () => {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  const database = new DatabaseSync(path);
  onTestFinished(async () => {
    database.close();
    await store.close();
  });
  let runs = 0;
  const logs = arbitraryOddLog({ minLength: 1, maxLength: 900 });
  const replacements = fc.array(replacement, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      logs,
      replacements,
      fc.integer({ min: 1, max: 90 }),
      async (log, all, size) => {
        const name = `t${(runs += 1)}`;
        await appendAll(store, name, log, size);
        for (const [nth, { keeps, entries, compacts }] of all.entries()) {
          if (compacts) await compact(store, name, `s${nth}`);
          const { entries: now } = await store.read(name);
          const from =
            now[keeps > 1 ? Math.min(keeps, now.length - 1) : Math.floor(keeps * now.length)];
          if (from === undefined) continue;
          await store.replaceSuffix(name, {
            from: from.id,
            expectedVersion: "any",
            replacement: renamed(entries, `${nth}/`),
            operationId: `o${nth}`,
          });
          expect(await store.verify(name)).toEqual([]);
        }
        const { entries: last } = await store.read(name);
        await appendAll(store, `${name}-fresh`, last, 50);
        expect(factsOf(database, name)).toEqual(factsOf(database, `${name}-fresh`));
        // What comes next is indexed alike.
        await appendAll(store, name, renamed(log.slice(0, 60), "again/"), 7);
        expect(await store.verify(name)).toEqual([]);
      },
    ),
    // Logs of this length take minutes to shrink.
    { numRuns: lawRuns(40), endOnFailure: true },
  );
});

async function appendAll(
  store: HistoryStore,
  name: string,
  log: readonly HistoryEntry[],
  size: number,
): Promise<void> {
  for (let start = 0; start < log.length; start += size) {
    await store.append(name, log.slice(start, start + size));
  }
}

/** Ids of their own; what entries say of each other stays among them. */
function renamed(entries: readonly HistoryEntry[], prefix: string): readonly HistoryEntry[] {
  return entries.map((entry) => ({ ...entry, id: `${prefix}${entry.id}` }));
}

async function compact(store: HistoryStore, name: string, id: string): Promise<void> {
  const { entries, viewRevision } = await store.read(name, {
    query: { clauses: [{}], view: "thread" },
  });
  const first = entries.findIndex(({ type }) => type !== "summary");
  const [from, to] = [entries[first], entries[Math.floor((first + entries.length) / 2)]];
  if (from === undefined || to === undefined) return;
  const text = { content: "short", strategy: "whole", trust: "user" } as const;
  await store
    .commitCompaction(name, {
      view: "thread",
      summary: summary({ ...text, id, createdAtMs: 1 }),
      covers: [{ from: from.id, to: to.id }],
      expectedViewRevision: viewRevision,
    })
    .catch(() => {});
}

function factsOf(database: DatabaseSync, name: string): unknown {
  return database
    .prepare(
      "SELECT key, value FROM facts WHERE thread = (SELECT thread FROM threads WHERE id = ?) ORDER BY key",
    )
    .all(name);
}
