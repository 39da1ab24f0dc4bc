import type { HistoryQuery } from "@agent-history/core";
import { summary } from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { describe, expect, it } from "vitest";

import { agentTurns } from "../test-support/agent-turns.ts";
import { countingClient } from "../test-support/counting-client.ts";
import { messages } from "../test-support/messages.ts";
import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresStore } from "./postgres-store.ts";

const VIEWS: readonly (readonly [string, HistoryQuery])[] = [
  ["a worker's view", workerHistoryFilter().query({ agentId: "w1" })],
  [
    "a worker's view with its memory of the turn",
    workerHistoryFilter({ memory: "turn" }).query({ agentId: "w1" }),
  ],
  ["a manager's view", managerHistoryFilter().query({ agentId: "w1" })],
  [
    "an orchestrator's view with its plans, reports and syntheses",
    orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }).query({ agentId: "o" }),
  ],
  ["a tail of 2,000 bytes", { clauses: [{}], maxBytes: 2000 }],
  ["the last 5 entries", { clauses: [{}], maxEntries: 5 }],
];

describe("postgresStore", () => {
  it("appends in one round trip, also where a thread has turns, tasks and calls", async () => {
    const client = countingClient(pglite);
    const store = postgresStore({ client, schema: schemaOf("append") });
    const [first = [], ...turns] = agentTurns(12);
    await store.append("t", first);
    const before = client.count();
    for (const turn of turns) await store.append("t", turn);
    expect(client.count() - before).toBe(turns.length);
  });

  it("appends in three if another handle wrote since, and in one from then on", async () => {
    const schema = schemaOf("another");
    const client = countingClient(pglite);
    const [store, another] = [
      postgresStore({ client, schema }),
      postgresStore({ client: pglite, schema }),
    ];
    await store.append("t", messages("a"));
    await another.append("t", messages("b"));
    const before = client.count();
    await store.append("t", messages("c"));
    expect(client.count() - before).toBe(3);
    await store.append("t", messages("d"));
    expect(client.count() - before).toBe(4);
  });

  it.each([10, 100])("reads each view of %i turns in at most four round trips", async (turns) => {
    const client = countingClient(pglite);
    const store = postgresStore({ client, schema: schemaOf(`${turns} turns`) });
    await store.append("t", agentTurns(turns).slice(0, 50).flat());
    await store.append("t", agentTurns(turns).slice(50).flat());
    await store.commitCompaction("t", {
      view: "conversation",
      summary: summary({ id: "z", createdAtMs: 0, content: "", strategy: "whole", trust: "user" }),
      covers: [{ from: "0-question", to: "3-answer" }],
      expectedViewRevision: 0,
    });
    for (const [name, query] of VIEWS) {
      const before = client.count();
      const { entries } = await store.read("t", { query });
      const trips = client.count() - before;
      const isEmpty = entries.length === 0;
      expect({ name, isFew: trips <= 4, isEmpty }).toEqual({ name, isFew: true, isEmpty: false });
    }
  });
});
