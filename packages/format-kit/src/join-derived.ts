import { DERIVED_TYPES } from "@agent-history/core";

import type { WrittenRun } from "./write-runs.ts";

/**
 * Puts summaries, memories and recall blocks into the user's message that directly follows them, so that roles alternate. Linear.
 *
 * @param join - Returns both messages as one; `undefined` where they cannot be, which leaves them as they are.
 */
export function joinDerived(
  written: readonly WrittenRun[],
  join: (derived: object, message: object) => object | undefined,
): readonly unknown[] {
  const joined: unknown[] = [];
  let following: WrittenRun | undefined;
  for (const one of written.toReversed()) {
    const both =
      following !== undefined && isDerived(one) && following.run[0].type === "user_message"
        ? joinObjects(one.message, following.message, join)
        : undefined;
    if (both === undefined) joined.push(one.message);
    else joined[joined.length - 1] = both;
    following =
      both === undefined || following === undefined ? one : { ...following, message: both };
  }
  return joined.toReversed();
}

function isDerived({ run: [first] }: WrittenRun): boolean {
  return DERIVED_TYPES.some((type) => type === first.type);
}

function joinObjects(
  derived: unknown,
  message: unknown,
  join: (derived: object, message: object) => object | undefined,
): object | undefined {
  const areObjects = typeof derived === "object" && typeof message === "object";
  return areObjects && derived !== null && message !== null ? join(derived, message) : undefined;
}
