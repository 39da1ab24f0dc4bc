import type { HistoryQuery } from "@agent-history/core";
import { summary } from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { longThread } from "../test-support/long-thread.ts";
import { recordSpans } from "../test-support/record-spans.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** How many rows a read may fetch beyond those that it shows: the last 64 of the conversation, of the reports and of all. */
const SPARE = 3 * 64;

/** Turns that each of the threads has. */
const NAMED = [2, 5, 9];

const QUERIES: readonly (readonly [string, HistoryQuery])[] = [
  ["a worker's view", workerHistoryFilter().query({ agentId: "w1" })],
  ["a manager's view", managerHistoryFilter().query({ agentId: "o" })],
  ["an orchestrator's view", orchestratorHistoryFilter().query({ agentId: "o" })],
  [
    "an orchestrator's view with its plans, reports and syntheses",
    orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }).query({ agentId: "o" }),
  ],
  [
    "a worker's view with its memory of the turn",
    workerHistoryFilter({ memory: "turn" }).query({ agentId: "w1" }),
  ],
  ["messages by their ids", { clauses: [{ ids: NAMED.flatMap((n) => [`${n}-question`]) }] }],
  ["calls by their ids", { clauses: [{ ids: NAMED.flatMap((n) => [`${n}-w1-action`]) }] }],
  // A bare last task has what no agent wrote after it, too.
  ["the last task and what was written under it", { clauses: [{ lastTask: {} }] }],
  ["a task of a turn", { clauses: [{ task: "3-w1-task", turn: { id: "turn-3" } }] }],
  ["an earlier turn", { clauses: [{ turn: { id: "turn-4" } }] }],
  ["a tail of 8,000 bytes", { clauses: [{}], maxBytes: 8000 }],
  ["the last 5 entries", { clauses: [{}], maxEntries: 5 }],
  ["the last 5 of the conversation", { clauses: [{}], view: "conversation", maxEntries: 5 }],
];

describe("read", () => {
  const store = sqliteStore({ path: ":memory:" });
  const lengths = [100, 1000, 4000] as const;
  beforeAll(async () => {
    for (const length of lengths) {
      const log = longThread(length);
      for (const threadId of [`t${length}`, `compacted t${length}`]) {
        for (let start = 0; start < length; start += 50) {
          await store.append(threadId, log.slice(start, start + 50));
        }
      }
      const compacted = `compacted t${length}`;
      await compactConversation(store, compacted, log[0]?.id, log.at(-31)?.id);
      // What stays of a compacted view is read as before.
      await store.replaceSuffix(compacted, {
        from: log.at(-1)?.id ?? "",
        expectedVersion: "any",
        replacement: log.slice(-1).map((entry) => ({ ...entry, id: "replaced" })),
        operationId: "o",
      });
      await store.fork(compacted, { at: "replaced", as: "fork" });
    }
  });
  afterAll(() => store.close());

  it.each(QUERIES)("of %s fetches what it shows, at any length", async (_name, query) => {
    const spans = recordSpans();
    const names = ["t$", "compacted t$", "compacted t$/fork"];
    for (const threadId of lengths.flatMap((length) =>
      names.map((name) => name.replace("$", String(length))),
    )) {
      const { entries } = await store.read(threadId, { query });
      const { attributes } = spans.at(-1) ?? {};
      expect(entries.length).toBeGreaterThan(0);
      const rows = Number(attributes?.["agent_history.rows"]);
      expect({ threadId, rows, most: entries.length + SPARE }).toSatisfy(
        () => rows <= entries.length + SPARE,
      );
      expect(attributes).not.toHaveProperty("agent_history.whole_log_reads");
    }
  });
});

async function compactConversation(
  store: ReturnType<typeof sqliteStore>,
  threadId: string,
  from = "",
  to = "",
): Promise<void> {
  const fields = { content: "short", strategy: "whole", trust: "user", createdAtMs: 0 } as const;
  await store.commitCompaction(threadId, {
    view: "conversation",
    summary: summary({ id: "z", ...fields }),
    covers: [{ from, to }],
    expectedViewRevision: 0,
  });
}
