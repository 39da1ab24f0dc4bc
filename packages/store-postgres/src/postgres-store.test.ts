import { action, observation, summary } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresMigration } from "./postgres-migration.ts";
import { postgresStore } from "./postgres-store.ts";

describe("postgresStore", () => {
  it("refuses options that can never work", () => {
    const wrong = [
      { client: undefined as never },
      { client: {} as never },
      { client: pglite, schema: "" },
      { client: pglite, schema: "My Schema" },
      { client: pglite, schema: 'x"; DROP SCHEMA y' },
      { client: pglite, schema: "pg_mine" },
      { client: pglite, schema: "x".repeat(41) },
      { client: pglite, timeoutMs: -1 },
    ];
    for (const options of wrong) {
      expect(() => postgresStore(options)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    }
    expect(() => postgresMigration({ schema: "1" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  it("lets timers run while a client answers without waiting", async () => {
    const store = postgresStore({ client: pglite, schema: schemaOf("turns") });
    await store.append("chat", messages("a"));
    const timer = { isOver: false };
    setTimeout(() => (timer.isOver = true), 1);
    let reads = 0;
    for (; !timer.isOver && reads < 20_000; reads += 1) await store.read("chat");
    expect(reads).toBeLessThan(20_000);
  });

  it("keeps entries in tables that a person can query", async () => {
    const schema = schemaOf("person");
    const store = postgresStore({ client: pglite, schema });
    const agent = { id: "w", role: "worker" } as const;
    await store.append("chat", messages("a"));
    await store.append("chat", [
      action({ id: "b", agent, toolCalls: [{ id: "c", name: "n", arguments: "{}" }] }),
      observation({
        id: "d",
        agent,
        callId: "c",
        toolName: "n",
        outcome: "success",
        content: "42",
      }),
    ]);
    await store.fork("chat", { at: "b", as: "fork" });
    const { rows } = await pglite.query(
      `SELECT thread, position::int AS position, id, type, agent, turn, json->>'content' AS content FROM ${schema}.thread_entries ORDER BY thread, position`,
    );
    expect(rows).toMatchObject([
      { thread: "chat", position: 0, type: "user_message", agent: null, content: "message a" },
      { thread: "chat", position: 1, type: "action", agent: "w", turn: 0 },
      { thread: "chat", position: 2, type: "observation", agent: "w", content: "42" },
      { thread: "chat/fork", position: 0, id: "a" },
      { thread: "chat/fork", position: 1, id: "b" },
    ]);
  });

  it("tells what is in force, as the server says", async () => {
    const store = postgresStore({ client: pglite, schema: schemaOf("describe") });
    await store.append("t", messages("a"));
    const { kind, durability, details } = await store.describe();
    expect([kind, details]).toMatchObject(["postgres", { schemaVersion: 1, threads: 1 }]);
    await pglite.query("SET synchronous_commit = off");
    expect((await store.describe()).durability).toMatch(/synchronous_commit is off/);
    await pglite.query("RESET synchronous_commit");
    expect((await store.describe()).durability).toBe(durability);
  });

  it("makes its tables once, whoever comes first", async () => {
    const schema = "made_once";
    const stores = [1, 2, 3].map(() => postgresStore({ client: pglite, schema }));
    await Promise.all(stores.map((store, nth) => store.append("t", messages(`m${nth}`))));
    expect((await stores[0]?.read("t"))?.version).toBe(3);
    await pglite.query(`DROP SCHEMA ${schema} CASCADE`);
  });

  it("makes no tables where it was told so, and says what is missing", async () => {
    const schema = "made_by_hand";
    const store = postgresStore({ client: pglite, schema, migrates: false });
    await expect(store.read("t")).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { reason: "not-migrated" },
    });
    await pglite.query(postgresMigration({ schema }));
    await store.append("t", messages("a"));
    expect((await store.read("t")).version).toBe(1);
    await pglite.query(`DROP SCHEMA ${schema} CASCADE`);
  });

  it("refuses tables of a later release", async () => {
    const schema = schemaOf("later");
    await postgresStore({ client: pglite, schema }).list();
    await pglite.query(`UPDATE ${schema}.schema_version SET version = 99`);
    const store = postgresStore({ client: pglite, schema });
    await expect(store.append("t", messages("a"))).rejects.toMatchObject({
      code: "UNKNOWN_VERSION",
    });
    await pglite.query(`UPDATE ${schema}.schema_version SET version = 1`);
  });

  it("keeps apart ids that are longer than an index takes", async () => {
    const store = postgresStore({ client: pglite, schema: schemaOf("long") });
    const ids = ["日".repeat(1999), `${"日".repeat(1998)}本`];
    for (const id of ids) await store.append(id, messages(`${id}${id}`, `${id}-`));
    expect(
      (await store.list({ prefix: "日".repeat(1500) })).threads
        .map(({ threadId }) => threadId)
        .toSorted(),
    ).toEqual(ids.toSorted());
    for (const id of ids) {
      const { entries } = await store.read(id, { query: { clauses: [{ ids: [`${id}-`] }] } });
      expect(entries).toEqual(messages(`${id}-`));
    }
  });

  it("writes for every answer that says it is there already (L18)", async () => {
    const schema = schemaOf("confirmed");
    const store = postgresStore({ client: pglite, schema });
    const stamp = async (): Promise<unknown> =>
      (await pglite.query<{ stamp: unknown }>(`SELECT stamp FROM ${schema}.threads`)).rows[0]
        ?.stamp;
    const compaction = {
      view: "thread",
      summary: summary({ id: "z", content: "", strategy: "whole", trust: "user" }),
      covers: [{ from: "a", to: "a" }],
      expectedViewRevision: 0,
    } as const;
    await store.append("t", messages("a"));
    await store.commitCompaction("t", compaction);
    for (const again of [
      () => store.append("t", messages("a")),
      () => store.commitCompaction("t", compaction),
    ]) {
      const before = await stamp();
      await again();
      expect(await stamp()).toBe(Number(before) + 1);
    }
  });

  it("leaves no row of a deleted thread, and all of its forks", async () => {
    const schema = schemaOf("released");
    const store = postgresStore({ client: pglite, schema });
    await store.append("t", messages("a", "b", "c"));
    await store.fork("t", { at: "b", as: "f" });
    await store.delete("t");
    expect((await store.read("t/f")).entries).toEqual(messages("a", "b"));
    await store.delete("t/f");
    // What is left are hashes of two names, in one hidden thread.
    for (const [table, count] of [
      ["rows", 0],
      ["items", 2],
      ["threads", 1],
    ] as const)
      expect((await pglite.query(`SELECT * FROM ${schema}.${table}`)).rows).toHaveLength(count);
  });

  it("reports rows that somebody changed, and reads the rest", async () => {
    const schema = schemaOf("changed");
    const store = postgresStore({ client: pglite, schema });
    await store.append("t", messages("a", "b", "c"));
    await pglite.query(`UPDATE ${schema}.rows SET text = replace(text, 'message b', 'message x')`);
    const { entries, problems } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toMatchObject([{ position: 1, kind: "broken" }]);
    await pglite.query(`DELETE FROM ${schema}.rows WHERE position = 2`);
    expect((await store.verify("t")).map(({ position }) => position)).toEqual([1, 2]);
  });
});
