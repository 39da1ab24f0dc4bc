import { observation } from "@agent-history/core";
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
});
