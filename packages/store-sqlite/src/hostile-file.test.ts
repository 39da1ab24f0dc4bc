import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { inspect } from "node:util";

import { isHistoryError, summary, task } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

const SECRET = "SECRET-4711";

/** Every column that a program or a query reads. */
const COLUMNS = [
  "threads.name",
  "threads.stamp",
  "threads.head",
  "threads.user",
  "threads.updated",
  "rows.place",
  "rows.lane",
  "rows.text",
  "items.kind",
  "items.key",
  "items.value",
] as const;

/** What stands in a row instead: numbers that lead astray, what is no JSON, JSON of another shape, bytes. */
const VALUES: readonly (string | number | bigint | Uint8Array | null)[] = [
  null,
  "",
  0,
  -1,
  1,
  2,
  7,
  1.5,
  10 ** 12,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  `${SECRET} {`,
  `{"${SECRET}":`,
  "{}",
  "[]",
  "null",
  "1e999",
  '{"version":1000000000000}',
  '{"format":1,"version":3,"turns":null}',
  '{"format":1,"count":2,"version":3,"runs":[[0,1e12]],"shown":[{}]}',
  "~~~~~~",
  "AAAA////",
  "zzzzzzzzzzzzzzzzzzzz",
  new Uint8Array([0, 255, 254]),
];

const VERBS: readonly ((store: HistoryStore, thread: string) => Promise<unknown>)[] = [
  (store, thread) => store.read(thread),
  (store, thread) => store.read(thread, { originals: true }),
  (store, thread) => store.read(thread, { query: { clauses: [{}], maxEntries: 2 } }),
  (store, thread) =>
    store.read(thread, { query: { clauses: [{}], view: "thread", maxBytes: 900 } }),
  (store, thread) => store.read(thread, { query: { clauses: [{ agent: "w" }], view: "agent:w" } }),
  (store, thread) => store.read(thread, { query: { clauses: [{ types: ["user_message"] }] } }),
  (store, thread) => store.verify(thread),
  (store, thread) => store.getState(thread, "key"),
  (store, thread) => store.fork(thread, { at: "b", as: "other" }),
  (store, thread) => store.append(thread, messages("b")),
  (store, thread) => store.append(thread, messages("later")),
  (store, thread) => store.setState(thread, "key", 2, { expectedRevision: 1 }),
  (store, thread) => store.expand(thread, "sum"),
  (store) => store.list(),
  (store, thread) => store.delete(thread),
];

describe("sqliteStore on any bytes in its rows", () => {
  it("ends each verb in a result or a typed error that quotes nothing", async () => {
    const base = await baseFile();
    const location = fc.record({
      column: fc.constantFrom(...COLUMNS),
      value: fc.constantFrom(...VALUES),
      row: fc.nat({ max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(location, { minLength: 1, maxLength: 3 }), async (locations) => {
        const path = temporaryCopy(base);
        for (const one of locations) change(path, one);
        const store = sqliteStore({ path });
        const failures = await failuresOf(store);
        await store.close();
        expect(failures).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it.each([
    ["a stamp above 2^53", "UPDATE threads SET stamp = 9223372036854775807"],
    [
      "a head that says 10^12 entries",
      `UPDATE threads SET head = json_set(head, '$.entryCount', 1000000000000)`,
    ],
    ["a head without fields", `UPDATE threads SET head = '{"v":1}'`],
    ["ids that name no row", "UPDATE items SET value = '99999999' WHERE kind = 'i'"],
    [
      "a place above 2^53",
      "UPDATE rows SET place = 9223372036854775807 WHERE rowid = (SELECT max(rowid) FROM rows)",
    ],
  ])("hangs on no verb: %s", async (_what, sql) => {
    const path = temporaryCopy(await baseFile());
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const store = sqliteStore({ path });
    expect(await failuresOf(store)).toEqual([]);
    await store.close();
  });
});

/** What a verb ended in that it must not: errors without a type, and those that quote. */
async function failuresOf(store: HistoryStore): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const thread of ["t", "t/f"]) {
    for (const verb of VERBS) {
      const error: unknown = await verb(store, thread).then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
      if (error === undefined) continue;
      if (!isHistoryError(error)) failures.push(`${String(verb)}: ${inspect(error)}`);
      else if (`${error.message} ${JSON.stringify(error.details)}`.includes(SECRET)) {
        failures.push(`${String(verb)} quotes`);
      }
    }
  }
  return failures;
}

async function baseFile(): Promise<string> {
  const path = temporaryFile("base.db");
  const store = sqliteStore({ path });
  const agent = { id: "w", role: "worker" } as const;
  await store.append("t", messages("a", "b", "c"));
  await store.append("t", [task({ id: "k", createdAtMs: 1, content: "Go.", agent })], {
    tokens: new Map([["counter", [3]]]),
  });
  await store.commitCompaction("t", {
    view: "thread",
    summary: summary({ id: "sum", createdAtMs: 1, strategy: "s", trust: "user", content: "A." }),
    covers: [{ from: "a", to: "a" }],
    expectedViewRevision: 0,
  });
  await store.fork("t", { at: "b", as: "f" });
  await store.setState("t", "key", 1, { expectedRevision: 0 });
  await store.close();
  return path;
}

function temporaryCopy(base: string): string {
  const path = temporaryFile();
  copyFileSync(base, path);
  return path;
}

function change(
  path: string,
  {
    column,
    value,
    row,
  }: {
    readonly column: (typeof COLUMNS)[number];
    readonly value: (typeof VALUES)[number];
    readonly row: number;
  },
): void {
  const [table = "", field = ""] = column.split(".");
  const database = new DatabaseSync(path);
  const key = table === "items" ? "(thread, kind, key)" : "rowid";
  const columns = table === "items" ? "thread, kind, key" : "rowid";
  const sql = `UPDATE OR IGNORE ${table} SET ${field} = ? WHERE ${key} = (SELECT ${columns} FROM ${table} LIMIT 1 OFFSET ?)`;
  try {
    database.prepare(sql).run(value, row);
  } catch {
    // The table's own rules refuse it.
  }
  database.close();
}
