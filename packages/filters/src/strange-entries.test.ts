import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { completionDetector } from "./completion/completion-detector.ts";
import { filterHistory } from "./filter-history.ts";
import { historyFilterForRole } from "./history-filter-for-role.ts";

/** What a log that nobody checked may hold: a type from tomorrow, and fields that are missing or null. */
const strange: readonly HistoryEntry[] = JSON.parse(`[
  { "id": "x1", "createdAtMs": 0, "type": "type_from_tomorrow", "content": "?" },
  { "id": "x2", "createdAtMs": 0, "type": "task", "content": "no agent" },
  { "id": "x3", "createdAtMs": 0, "type": "action" },
  { "id": "x4", "createdAtMs": 0, "type": "observation", "content": null },
  { "id": "x5", "createdAtMs": 0, "type": "assistant_message", "content": null },
  { "id": "x6", "createdAtMs": 0, "type": "summary", "view": "thread", "covers": null }
]`);

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
