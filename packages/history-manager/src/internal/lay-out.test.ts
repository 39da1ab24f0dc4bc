import { userMessage } from "@agent-history/core";
import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";
import { countWork } from "@agent-history/testkit";
import { describe, expect, it } from "vitest";

import { layOut } from "./lay-out.ts";
import { unreadEntries } from "./unread-entries.ts";

const [first, second, newest] = ["first", "second", "newest"].map((id) =>
  userMessage({ id, createdAtMs: 0, content: id }),
);
const kept = [first, second].flatMap((entry) => entry ?? []);
const added = [newest].flatMap((entry) => entry ?? []);

describe("layOut", () => {
  it("puts what is known where it stood, what came behind it, and stands for the rest", () => {
    const unread = unreadEntries();
    const laid = layOut(planOf(3), { kept, dropped: new Map(), added }, unread) ?? [];

    expect(laid.toSpliced(2, 1).map(({ id }) => id)).toEqual([
      "first",
      "d1",
      "d3",
      "second",
      "newest",
    ]);
    expect(laid.map((entry) => unread.has(entry))).toEqual([false, true, true, true, false, false]);
  });

  it("puts what was read of a gap at its end", () => {
    const read = [2, 3].map((nth) => dropped(nth));
    const laid = layOut(
      planOf(3),
      { kept, dropped: new Map([["second", read]]), added },
      unreadEntries(),
    );
    const other = layOut(
      planOf(3),
      { kept, dropped: new Map([["second", [dropped(7)]]]), added },
      unreadEntries(),
    );

    expect(laid?.slice(2, 4)).toEqual(read);
    expect(other).toBeUndefined();
  });

  it("writes one list, however long the gap is", () => {
    const work = (gap: number): number => {
      const plan = planOf(gap);
      return countWork(() => layOut(plan, { kept, dropped: new Map(), added }, unreadEntries()));
    };

    expect(work(100_000) - work(1000)).toBeLessThan(1.01 * 99_000);
  });
});

function dropped(nth: number): HistoryEntry {
  return userMessage({ id: `d${nth}`, createdAtMs: 0, content: "" });
}

/** Keeps the first and the last entry, and drops so many in between. */
function planOf(gap: number): ReductionPlan {
  return {
    counterId: "none",
    window: {},
    view: "thread",
    repairs: [],
    repairedFrom: 0,
    decisions: [
      run("first", "first", 1, "keep"),
      run("d1", `d${gap}`, gap, "drop"),
      run("second", "second", 1, "keep"),
    ],
    settledUntil: gap + 2,
    requestTokens: 0,
    totalTokens: 0,
    hash: "none",
    hashes: [],
    checksum: "",
  };
}

function run(from: string, to: string, entryCount: number, kind: "keep" | "drop"): Decision {
  const why = { step: "test", reason: "test", tokensBefore: 0, tokensAfter: 0 };
  return { from, to, entryCount, action: { kind }, ...why };
}
