import * as fc from "fast-check";

/** Generates `usual`, and in the given percentage of cases a value of `arbitrary`; shrinks to `usual`. */
export function sometimes<Usual, Value>(
  percent: number,
  arbitrary: fc.Arbitrary<Value>,
  usual: Usual,
): fc.Arbitrary<Usual | Value> {
  return fc.oneof(
    { withCrossShrink: percent < 100 },
    { weight: 100 - percent, arbitrary: fc.constant(usual) },
    { weight: percent, arbitrary },
  );
}
