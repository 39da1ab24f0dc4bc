import { DatabaseSync } from "node:sqlite";

import { summary } from "@agent-history/core";
import type { HistoryQuery, HistoryStore } from "@agent-history/core";
import { workerHistoryFilter } from "@agent-history/filters";
import { expect, onTestFinished } from "vitest";

import { sqliteStore } from "../src/index.ts";
import { longThread } from "./long-thread.ts";
import { temporaryFile } from "./temporary-folder.ts";

const QUERIES: readonly HistoryQuery[] = [
  workerHistoryFilter().query({ agentId: "w1" }),
  { clauses: [{ types: ["user_message", "assistant_message"] }], maxEntries: 40 },
  { clauses: [{}], maxEntries: 5 },
  { clauses: [{}], view: "conversation", maxTokens: 9000 },
  { clauses: [{ lastTask: {} }] },
];

/** How many entries the thread has. */
export const LENGTH = 120;

/** What the thread shows in views of several kinds. */
export async function shownBy(
  store: HistoryStore,
): Promise<readonly { readonly ids: readonly string[]; readonly problems: number }[]> {
  const shown = [];
  for (const query of QUERIES) {
    const { entries, problems } = await store.read("t", { query });
    shown.push({ ids: entries.map(({ id }) => id), problems: problems.length });
  }
  return shown;
}

/** Compacts the view of an agent, at the revision it is at. */
export async function compactAgent(
  store: HistoryStore,
): Promise<{ readonly viewRevision: number }> {
  const query = { clauses: [{}], view: "agent:w1", maxEntries: 0 } as const;
  const { viewRevision } = await store.read("t", { query });
  return store.commitCompaction("t", {
    view: "agent:w1",
    summary: summary({ id: "y", createdAtMs: 0, content: "s", strategy: "w", trust: "user" }),
    covers: [{ from: "0-w1-task", to: "1-w1-final" }],
    expectedViewRevision: viewRevision,
  });
}

/** Writes a thread `t` of several agents, with counts and a summary. */
export async function writeThread(store: HistoryStore): Promise<void> {
  const log = longThread(LENGTH);
  for (let start = 0; start < LENGTH; start += 7) {
    const batch = log.slice(start, start + 7);
    const tokens = new Map([["counter", batch.map((_, index) => index)]]);
    await store.append("t", batch, { tokens });
  }
  await store.commitCompaction("t", {
    view: "conversation",
    summary: summary({ id: "z", createdAtMs: 0, content: "Short", strategy: "w", trust: "user" }),
    covers: [{ from: "0-question", to: "3-answer" }],
    expectedViewRevision: 0,
  });
}

/** Writes that thread to a file; `change` runs SQL on it. */
export async function writtenThread(): Promise<{
  readonly path: string;
  readonly store: HistoryStore;
  readonly change: (sql: string) => void;
}> {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  await writeThread(store);
  return {
    path,
    store,
    change: (sql) => {
      const database = new DatabaseSync(path);
      expect(Number(database.prepare(sql).run().changes)).toBeGreaterThan(0);
      database.close();
    },
  };
}
