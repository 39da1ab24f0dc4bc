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
  ["a tail of 2,000 tokens", { clauses: [{}], maxTokens: 2000 }],
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

  it("appends in two where another handle wrote since, and in one from then on", async () => {
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
    expect(client.count() - before).toBe(2);
    await store.append("t", messages("d"));
    expect(client.count() - before).toBe(3);
  });

  it.each(VIEWS)("reads %s in one round trip, at any length", async (name, query) => {
    const client = countingClient(pglite);
    const store = postgresStore({ client, schema: schemaOf(name) });
    for (const turns of [10, 100]) {
      const threadId = `${turns} turns`;
      for (const turn of agentTurns(turns)) await store.append(threadId, turn);
      await store.commitCompaction(threadId, {
        view: "conversation",
        summary: summary({
          id: "z",
          createdAtMs: 0,
          content: "",
          strategy: "whole",
          trust: "user",
        }),
        covers: [{ from: "0-question", to: "3-answer" }],
        expectedViewRevision: 0,
      });
      const before = client.count();
      const { entries } = await store.read(threadId, { query });
      expect(entries.length).toBeGreaterThan(0);
      expect(client.count() - before).toBe(1);
    }
  });
});
