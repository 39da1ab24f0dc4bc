import type { HistoryQuery, HistoryStore } from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { agentTurns } from "../test-support/agent-turns.ts";
import { messages } from "../test-support/messages.ts";
import { pglite } from "../test-support/pglite.ts";
import { readingClient } from "../test-support/reading-client.ts";
import type { RowsRead } from "../test-support/reading-client.ts";
import { postgresStore } from "./postgres-store.ts";

type Call = (store: HistoryStore, thread: string) => Promise<unknown>;

const viewOf =
  (query: HistoryQuery): Call =>
  (store, thread) =>
    store.read(thread, { query });

const CALLS: Readonly<Record<string, Call>> = {
  "an append": (store, thread) => store.append(thread, messages("new")),
  "an append that is known": (store, thread) => store.append(thread, messages("new")),
  "a worker's view": viewOf(workerHistoryFilter().query({ agentId: "w1" })),
  "a manager's view": viewOf(managerHistoryFilter().query({ agentId: "w1" })),
  "an orchestrator's view": viewOf(orchestratorHistoryFilter().query({ agentId: "o" })),
  "a tail": viewOf({ clauses: [{}], maxTokens: 500 }),
  "the entries after one": viewOf({ clauses: [{}], after: "new" }),
  "the entries after one that was replaced": (store, thread) =>
    store.read(thread, { query: { clauses: [{}], after: "gone" } }).catch(() => {}),
  "a replaced suffix": (store, thread) =>
    store.replaceSuffix(thread, {
      from: "new",
      expectedVersion: "any",
      replacement: messages("newer"),
      operationId: "edit",
    }),
  "state that is set": (store, thread) => store.setState(thread, "key", 1, { expectedRevision: 0 }),
  "state that is read": (store, thread) => store.getState(thread, "key"),
};

async function replaceEnd(store: HistoryStore, thread: string): Promise<void> {
  await store.append(thread, messages("from", "gone"));
  const replacement = messages("instead");
  await store.replaceSuffix(thread, {
    from: "from",
    expectedVersion: "any",
    replacement,
    operationId: "o",
  });
}

describe("postgresStore", () => {
  it("looks at as few rows where a thread is longer, also by plans that the server made while the tables were empty", async () => {
    const schema = "planned_while_empty";
    const client = readingClient(pglite);
    const store = postgresStore({ client, schema });
    // From the sixth time on a plan is kept.
    for (let nth = 0; nth < 7; nth += 1) {
      await store.append(`thread ${nth}`, agentTurns(1).flat());
      await replaceEnd(store, `thread ${nth}`);
      for (const call of Object.values(CALLS)) await call(store, `thread ${nth}`);
    }
    // As far from the last checkpoint of the index, which is kept after every 32 of these turns.
    for (const turn of agentTurns(392)) await store.append("longer", turn);
    for (const turn of agentTurns(200)) await store.append("long", turn);
    for (const thread of ["longer", "long"]) await replaceEnd(store, thread);
    const read = async (thread: string): Promise<Map<string, RowsRead>> => {
      const rows = new Map<string, RowsRead>();
      for (const [name, call] of Object.entries(CALLS)) {
        client.take();
        await call(store, thread);
        rows.set(name, client.take());
      }
      return rows;
    };
    const long = await read("long");
    expect([...long].filter(([, { scanned }]) => scanned > 0)).toEqual([]);
    const longer = await read("longer");
    expect(longer).toEqual(long);
    await pglite.query(`DROP SCHEMA ${schema} CASCADE`);
  });
});
