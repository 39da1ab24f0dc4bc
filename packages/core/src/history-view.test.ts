import { describe, expect, it } from "vitest";

import { errorEntry } from "./create-entries.ts";
import { ENTRY_TYPES } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { agentView, isInView } from "./history-view.ts";
import type { HistoryView } from "./history-view.ts";

const writer = { id: "w1", role: "worker" } as const;

describe("isInView", () => {
  it("has every entry in the view of the thread", () => {
    expect(typesIn("thread")).toEqual(ENTRY_TYPES);
  });

  it("has messages and what they brought in the view of the conversation, whoever wrote them", () => {
    expect(typesIn("conversation")).toEqual(["user_message", "assistant_message", "attachment"]);
  });

  it("has in an agent's view what that agent wrote, and what nobody wrote in none", () => {
    expect(typesIn(agentView("w1"))).toEqual(ENTRY_TYPES);
    expect(typesIn(agentView("w2"))).toEqual([]);
    expect(isInView(errorEntry({ content: "" }), agentView("undefined"))).toBe(false);
  });
});

function typesIn(view: HistoryView): readonly string[] {
  return ENTRY_TYPES.filter((type) => isInView(entryOf(type), view));
}

function entryOf(type: string): HistoryEntry {
  return { type, id: "e1", createdAtMs: 0, content: "", agent: writer } as HistoryEntry;
}
