import { planReduction } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { threeRoles } from "../../test-support/three-roles.ts";
import { inspectPlans } from "../inspect-plans.ts";
import { lengthCounter } from "../length-counter.ts";
import { packData, unpackData } from "./packed-data.ts";

const counter = lengthCounter();

describe("packData", () => {
  it("loses nothing", () => {
    fc.assert(
      fc.property(arbitraryHistory({ flat: true }), (entries) => {
        const wide = planReduction(entries, { counter, window: { contextTokens: 1_000_000 } });
        const data = inspectPlans({ plans: [wide, wide], entries, counter });

        expect(unpackData(packData(data))).toEqual(data);
      }),
      { numRuns: lawRuns(100) },
    );
    const roles = threeRoles("every");

    expect(unpackData(packData(roles))).toEqual(roles);
  });

  it("holds a decision that several calls share once", () => {
    const roles = threeRoles();
    const { decisions } = packData(roles);

    expect(new Set(decisions.map((decision) => JSON.stringify(decision))).size).toBe(
      decisions.length,
    );
    expect(decisions.length).toBeLessThan(roles.calls.flatMap((call) => call.decisions).length);
  });
});
