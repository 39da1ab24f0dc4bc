import { action, observation } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { editEntry } from "./edit-entry.ts";

const content = "r".repeat(1000);
const result = observation({ id: "r", callId: "c", toolName: "t", outcome: "success", content });
const shortened = (head: number) => editEntry(result, { text: { head, tail: 0 } });

describe("editEntry", () => {
  it("gives the same object for the same edit, whatever was tried in between", () => {
    const first = shortened(100);
    shortened(200);
    expect(shortened(100)).toBe(first);
    expect(editEntry(result, {})).toBe(result);
  });

  it("forgets all but the last few forms of an entry", () => {
    const first = shortened(100);
    for (let head = 101; head < 120; head++) shortened(head);
    expect(shortened(100)).not.toBe(first);
    expect(shortened(100)).toEqual(first);
  });

  it("replaces no line of its own by another", () => {
    const parts = observation({ ...result, content: [{ type: "text", text: content }] });
    const calls = action({ toolCalls: [{ id: "c", name: "t", arguments: `"${content}"` }] });
    const clear = { clear: true, clearArguments: true } as const;
    const cases = [
      [result, clear],
      [parts, clear],
      [calls, clear],
      [result, { text: { head: 0, tail: 0 } }],
    ] as const;
    for (const [entry, edit] of cases) {
      const once = editEntry(entry, edit);

      expect(once).not.toBe(entry);
      expect(editEntry(once, edit)).toBe(once);
    }
  });
});
