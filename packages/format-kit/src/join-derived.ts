import { DERIVED_TYPES } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** A message, and the first of the entries that it says. */
export interface WrittenMessage {
  readonly first: HistoryEntry;
  readonly message: unknown;
}

/**
 * Puts summaries, memories and recall blocks into the user's message that directly follows them, so that roles alternate. Linear.
 *
 * @param join - Returns both messages as one; `undefined` where they cannot be, which leaves them as they are.
 */
export function joinDerived(
  written: readonly WrittenMessage[],
  join: (derived: object, message: object) => object | undefined,
): readonly unknown[] {
  const joined: unknown[] = [];
  let following: WrittenMessage | undefined;
  for (const one of written.toReversed()) {
    const both =
      following !== undefined && isDerived(one) && following.first.type === "user_message"
        ? joinObjects(one.message, following.message, join)
        : undefined;
    if (both === undefined) joined.push(one.message);
    else joined[joined.length - 1] = both;
    following =
      both === undefined || following === undefined ? one : { ...following, message: both };
  }
  return joined.toReversed();
}

function isDerived({ first }: WrittenMessage): boolean {
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
