import type { PhaseId } from "@agent-history/core";
import * as fc from "fast-check";

/** Generates phase ids: numbers, texts, and pairs that differ only in their type, `1` and `"1"`. */
export const arbitraryPhaseId: fc.Arbitrary<PhaseId> = fc.constantFrom<PhaseId[]>(
  1,
  2,
  3,
  0,
  -1,
  1.5,
  "1",
  "2",
  "",
  "research",
  "phase 2",
  "__proto__",
  "🔍",
);
