import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { damagedJson } from "../../test-support/damaged-json.ts";
import { isStoredPlan } from "./stored-plan.ts";

const count = z.number().int().nonnegative();
const recallSchema = z.looseObject({
  id: z.string(),
  before: z.string(),
  quotes: z.array(z.string()),
  indexes: z.array(count).exactOptional(),
  tokens: count,
  format: z.string(),
});
const planSchema = z.looseObject({
  counterId: z.string(),
  window: z.looseObject({ contextTokens: count.exactOptional() }),
  repairs: z.array(z.looseObject({ kind: z.string(), entryId: z.string() })),
  repairedFrom: count,
  decisions: z.array(
    z.looseObject({
      from: z.string(),
      to: z.string(),
      entryCount: z.number().int().positive(),
      action: z.discriminatedUnion("kind", [
        z.looseObject({ kind: z.literal(["keep", "drop"]) }),
        z.looseObject({ kind: z.literal("edit"), edit: z.looseObject({}) }),
        z.looseObject({ kind: z.literal("summarize"), summary: z.looseObject({ id: z.string() }) }),
      ]),
      tokensBefore: count,
      tokensAfter: count,
    }),
  ),
  head: recallSchema.exactOptional(),
  recalls: z.array(recallSchema).exactOptional(),
  settledUntil: count,
  requestTokens: count,
  totalTokens: count,
  hashes: z.array(z.string()),
});

const recall = { id: "r", before: "b", quotes: ["a"], indexes: [0], tokens: 2, format: "text" };
const run = { from: "a", to: "b", entryCount: 2, tokensBefore: 9, tokensAfter: 0 };
const plan = {
  counterId: "c",
  window: { contextTokens: 100, reserve: 1 },
  repairs: [{ kind: "lost", entryId: "a" }],
  repairedFrom: 1,
  decisions: [
    { ...run, action: { kind: "drop" }, reason: "old" },
    { ...run, action: { kind: "summarize", summary: { id: "s", content: "" } } },
    { ...run, action: { kind: "edit", edit: { kind: "stub" } } },
    { ...run, action: { kind: "keep" }, tokensAfter: 9 },
  ],
  head: recall,
  recalls: [recall],
  settledUntil: 2,
  requestTokens: 7,
  totalTokens: 20,
  hashes: ["h"],
};

describe("isStoredPlan", () => {
  it("takes a plan whose tokens add up, and no other", () => {
    expect(isStoredPlan(plan)).toBe(true);
    expect(isStoredPlan({ ...plan, totalTokens: 21 })).toBe(false);
    expect(isStoredPlan({ ...plan, settledUntil: 9 })).toBe(false);
  });

  it("takes nothing whose shape is another, wherever that is", () => {
    let taken = 0;
    const numRuns = lawRuns(1000);
    fc.assert(
      fc.property(damagedJson([plan]), (damaged) => {
        const isTaken = isStoredPlan(damaged);
        if (isTaken) taken += 1;
        const { data } = planSchema.safeParse(damaged);
        expect(isTaken).toBe(data !== undefined && addsUp(data));
      }),
      { numRuns },
    );

    expect(taken).toBeGreaterThan(numRuns / 10);
  });
});

function addsUp(given: z.infer<typeof planSchema>): boolean {
  const { decisions, head, recalls = [], requestTokens, settledUntil, repairedFrom } = given;
  const quoted = [...recalls, ...(head === undefined ? [] : [head])];
  const tokens = [...quoted.map((one) => one.tokens), ...decisions.map((one) => one.tokensAfter)];
  const total = tokens.reduce((sum, one) => sum + one, requestTokens);
  const entries = decisions.reduce((sum, one) => sum + one.entryCount, 0);
  return total === given.totalTokens && Math.max(settledUntil, repairedFrom) <= entries;
}
