import type { FilterContext, HistoryEntry, HistoryFilter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { completionDetector } from "./completion/completion-detector.ts";
import { customHistoryFilter } from "./custom-history-filter.ts";
import { filterHistory } from "./filter-history.ts";
import { defaultHistoryFilter } from "./history-filter-for-role.ts";
import { historyFilterForRole } from "./history-filter-for-role.ts";
import { managerHistoryFilter } from "./manager-history-filter.ts";
import { orchestratorHistoryFilter } from "./orchestrator-history-filter.ts";
import { workerHistoryFilter } from "./worker-history-filter.ts";

/** What a log that nobody checked may hold: a type from tomorrow, and fields that are missing or null. */
const strange: readonly HistoryEntry[] = JSON.parse(`[
  { "id": "x1", "createdAtMs": 0, "type": "type_from_tomorrow", "content": "?" },
  { "id": "x2", "createdAtMs": 0, "type": "task", "content": "no agent" },
  { "id": "x3", "createdAtMs": 0, "type": "action" },
  { "id": "x4", "createdAtMs": 0, "type": "observation", "content": null },
  { "id": "x5", "createdAtMs": 0, "type": "assistant_message", "content": null },
  { "id": "x6", "createdAtMs": 0, "type": "summary", "view": "thread", "covers": null }
]`);

/** What a seed's own log looks like: no ids, no times. */
const plain: readonly HistoryEntry[] = JSON.parse(`[
  { "type": "user_message", "content": "First?" },
  { "type": "task", "content": "Look.", "agent": { "id": "w1", "role": "worker" } },
  { "type": "action", "tool": "search", "agent": { "id": "w1", "role": "worker" } },
  { "type": "observation", "content": "Found.", "agent": { "id": "w1", "role": "worker" } },
  { "type": "task", "content": "Look again.", "agent": { "id": "w1", "role": "worker" } },
  { "type": "action", "tool": "search", "agent": { "id": "w1", "role": "worker" } },
  { "type": "observation", "content": "Found more.", "agent": { "id": "w1", "role": "worker" } },
  { "type": "synthesis", "content": "Both.", "phaseId": 0 },
  { "type": "type_of_my_own", "content": "?" },
  { "type": "assistant_message", "content": "Both." }
]`);

describe("plain objects without ids", () => {
  it("are all kept by the default filter, by identity", () => {
    expect(filterHistory(plain, defaultHistoryFilter())).toBe(plain);
  });

  it("are kept by the roles that see their types", () => {
    const seen = (filter: HistoryFilter, context: FilterContext = {}) =>
      filterHistory(plain, filter, context).map((entry) => plain.indexOf(entry));
    expect(seen(orchestratorHistoryFilter())).toEqual([0, 9]);
    expect(seen(orchestratorHistoryFilter({ include: ["syntheses"] }))).toEqual([0, 7, 9]);
    expect(seen(managerHistoryFilter(), { phaseId: 1, previousPhaseId: 0 })).toEqual([7]);
    expect(seen(workerHistoryFilter(), { agentId: "w1" })).toEqual([4, 5, 6]);
    expect(seen(workerHistoryFilter())).toEqual([4, 5, 6]);
    expect(seen(workerHistoryFilter({ memory: "turn" }), { agentId: "w1" })).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });
});

describe("an entry of a type of one's own", () => {
  it("is seen by the default filter, by no role, and by a clause that names it", () => {
    const [own] = plain.slice(8);
    const named = customHistoryFilter({
      name: "mine",
      query: () => ({ clauses: [{ types: ["type_of_my_own"] }] }),
    });
    expect(filterHistory(plain, named)).toEqual([own]);
    for (const role of ["orchestrator", "manager", "worker"] as const) {
      for (const context of [{}, { agentId: "w1" }]) {
        expect(filterHistory(plain, historyFilterForRole(role), context)).not.toContain(own);
      }
    }
  });
});

describe("a strange entry", () => {
  for (const role of ["orchestrator", "manager", "worker", undefined] as const) {
    it(`does not make the ${role ?? "default"} filter throw`, () => {
      const filter = historyFilterForRole(role);
      for (const context of [{}, { agentId: "w1" }, { taskId: "x2", phaseId: 1 }]) {
        expect(() => filterHistory(strange, filter, context)).not.toThrow();
      }
    });
  }

  it("does not make the completion detector throw", () => {
    expect(() => completionDetector().detect(strange)).not.toThrow();
  });
});
