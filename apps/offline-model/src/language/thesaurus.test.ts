import { describe, expect, it } from "vitest";

import { SYNONYMS_OF_ACTIONS } from "./synonyms-of-actions.ts";
import { SYNONYMS_OF_THINGS } from "./synonyms-of-things.ts";
import { terms } from "./terms.ts";
import { alternativesOf } from "./thesaurus.ts";

const GROUPS = [...SYNONYMS_OF_ACTIONS, ...SYNONYMS_OF_THINGS];

describe("alternativesOf", () => {
  it("gives terms that stand for nearly the same, and nothing for a term it does not know", () => {
    expect(alternativesOf("pictur")).toContain("imag");
    expect(alternativesOf("tomato").size).toBe(0);
    expect(alternativesOf("__proto__").size).toBe(0);
  });

  it("goes both ways, and never gives the term itself", () => {
    for (const term of new Set(GROUPS.flatMap(terms))) {
      expect(alternativesOf(term)).not.toContain(term);
      for (const other of alternativesOf(term)) expect(alternativesOf(other)).toContain(term);
    }
  });

  it("leads from one meaning of a word to no other", () => {
    // A halt is a stop, a stop is an end, and an end is complete.
    expect(alternativesOf("halt")).toContain("stop");
    expect(alternativesOf("stop")).toContain("complet");
    expect(alternativesOf("halt")).not.toContain("complet");
  });

  it("is made of plain words, each group of two or more", () => {
    for (const group of GROUPS) {
      expect(group).toMatch(/^[a-z]+(?: [a-z]+)+$/);
      expect(new Set(terms(group)).size).toBeGreaterThan(1);
    }
  });
});
