import { expect, it } from "vitest";

import type { HistoryEntry } from "./history-entry.ts";
import { repairHistory } from "./repair-history.ts";

const result = (callId: string): HistoryEntry => ({
  type: "observation",
  id: `result-${callId}`,
  createdAtMs: 0,
  actionId: "a1",
  callId,
  toolName: "find",
  outcome: "success",
  content: "Two flights.",
});

it("adds the lost result of a call behind the results of the calls that it had made, and has nothing to repair after that", () => {
  const action: HistoryEntry = {
    type: "action",
    id: "a1",
    createdAtMs: 0,
    toolCalls: [
      { id: "p", name: "program", arguments: "{}" },
      { id: "inner", name: "find", arguments: "{}", callerId: "p" },
      { id: "beside", name: "find", arguments: "{}" },
    ],
  };
  const next: HistoryEntry = { type: "user_message", id: "u1", createdAtMs: 0, content: "Thanks." };
  const { entries, repairs } = repairHistory([action, result("inner"), result("beside"), next]);
  expect(repairs.map(({ kind }) => kind)).toEqual(["added-result"]);
  const again = repairHistory(entries);
  expect(again.repairs).toEqual([]);
  expect(again.entries).toBe(entries);
  expect(entries.at(-2)).toMatchObject({ callId: "p", outcome: "error" });
});
