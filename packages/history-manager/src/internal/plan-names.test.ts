import { userMessage } from "@agent-history/core";
import type { ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/character-counter.ts";
import { joinNames, splitNames } from "./plan-names.ts";

const { plan } = fitToWindow([userMessage({ id: "u", createdAtMs: 1, content: "?" })], {
  counter,
  window: { contextTokens: 100 },
});

function stored(hashes: readonly string[]): unknown {
  const named: ReductionPlan = { ...plan, hashes };
  return JSON.parse(JSON.stringify(joinNames({ plan: named, version: 1 })));
}

describe("the names of a stored plan", () => {
  it("are one text, however many they are, and come back one by one", () => {
    const hashes = Array.from({ length: 400 }, (_, nth) => `=e${nth}`);
    expect(stored(hashes)).toMatchObject({ plan: { hashes: hashes.join("\n") } });
    expect(splitNames(stored(hashes))).toMatchObject({ plan: { hashes }, version: 1 });
  });

  it("come back whatever they are", () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom("", "\n", "=a\nb", "\r\n", "\u2028", "\ud800"),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), (hashes) => {
        expect(splitNames(stored(hashes))).toEqual(
          JSON.parse(JSON.stringify({ plan: { ...plan, hashes }, version: 1 })),
        );
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("are left as they are where something else is stored", () => {
    for (const other of [undefined, null, 7, "plan", [], { plan: null }, { plan: { hashes: 7 } }]) {
      expect(splitNames(other)).toBe(other);
    }
  });
});
