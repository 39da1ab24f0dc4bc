import { REFUSED, refuse, refuseAt } from "./check.ts";
import type { Check } from "./check.ts";

/** How long a list may be, and what is said of what is none. */
interface ListOptions {
  /** Default 0. */
  readonly least?: number;
  readonly message?: string;
}

/** Makes a check of lists of any length. A list with a hole has `undefined` there. */
export function listCheck<Item>(
  item: Check<Item>,
  { least = 0, message = "Expected a list" }: ListOptions = {},
): Check<readonly Item[]> {
  return (value, refusal) => {
    if (!Array.isArray(value) || value.length < least) return refuse(refusal, message, value);
    const copied: Item[] = [];
    // By index: an iterator may be the list's own, and never end.
    for (let index = 0; index < value.length; index++) {
      const copy = item(value[index], refusal);
      if (copy === REFUSED) return refuseAt(refusal, index);
      copied.push(copy);
    }
    return Object.freeze(copied);
  };
}

/** Makes a check of lists of two. */
export function pairCheck<First, Second>(
  first: Check<First>,
  second: Check<Second>,
): Check<readonly [First, Second]> {
  return (value, refusal) => {
    if (!Array.isArray(value) || value.length !== 2) {
      return refuse(refusal, "Expected a list of two", value);
    }
    const one = first(value[0], refusal);
    if (one === REFUSED) return refuseAt(refusal, 0);
    const other = second(value[1], refusal);
    if (other === REFUSED) return refuseAt(refusal, 1);
    const copied: readonly [First, Second] = [one, other];
    return Object.freeze(copied);
  };
}
