import type { Agent, HistoryEntry } from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { createReducer } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";

import type { HistoryManagerOptions, RoleFilters } from "../src/index.ts";
import { contentOf, counter } from "./character-counter.ts";

export const BOSS: Agent = { id: "boss", role: "orchestrator" };
export const MANAGER: Agent = { id: "manager-1", role: "manager" };
export const WORKER: Agent = { id: "reader-1", role: "worker" };

const FILTERS: RoleFilters = {
  orchestrator: orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }),
  manager: managerHistoryFilter(),
  worker: workerHistoryFilter(),
};

/** Options that work, in memory, with ids and times that count up; each test changes what it is about. */
export function managerOptions(given: Partial<HistoryManagerOptions> = {}): HistoryManagerOptions {
  return {
    store: memoryStore(),
    threadId: "thread-1",
    counter,
    reducer: createReducer({ counter }),
    window: { contextTokens: 10_000 },
    filters: FILTERS,
    ...countingIds(),
    ...given,
  };
}

/** Ids and times that count up. */
export function countingIds(prefix = "id"): { newId: () => string; now: () => number } {
  let ids = 0;
  let times = 0;
  return { newId: () => `${prefix}-${(ids += 1)}`, now: () => (times += 1) };
}

/** What a prompt says, entry by entry, as text. */
export function promptText(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.map((entry) => {
    const sources = "sources" in entry ? (entry.sources ?? []) : [];
    const numbers = sources.map(({ number }) => `[source${number}]`).join("");
    return `${entry.type}: ${contentOf(entry)}${numbers}`;
  });
}

/** The code with which work fails. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  );
}
