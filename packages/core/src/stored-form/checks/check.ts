/** Says that a check refused a value. Never part of a value. */
export const REFUSED: unique symbol = Symbol("refused");

/** What a check says of the first thing that it refused. Nothing of it quotes the value. */
export interface Refusal {
  /** What was expected, for example `Expected a string`. */
  message: string;
  /** The keys that lead to it. */
  path: readonly (string | number)[];
  /** What kind of value came instead, for example `a number`. */
  received: string;
}

/**
 * Copies a valid value, frozen to its depth, or gives {@link REFUSED} and says in the refusal where it failed and why. Stops at the first failure.
 * It throws only what the value throws when it is read.
 *
 * A check of one type is none of a wider or a narrower one (`in out`): it takes exactly what the type allows.
 */
export type Check<in out Value> = (value: unknown, refusal: Refusal) => Value | typeof REFUSED;

const NO_KEYS: Refusal["path"] = [];

/** Begins a refusal, for a check to fill in. */
export function noRefusal(): Refusal {
  return { message: "", path: NO_KEYS, received: "" };
}

/** Refuses a value, and says what was expected instead of it. What the refusal said before is forgotten. */
export function refuse(refusal: Refusal, message: string, value: unknown): typeof REFUSED {
  refusal.message = message;
  refusal.path = NO_KEYS;
  refusal.received = kindOf(value);
  return REFUSED;
}

/** Says under which key of a list or an object a value was refused. */
export function refuseAt(refusal: Refusal, key: string | number): typeof REFUSED {
  refusal.path = [key, ...refusal.path];
  return REFUSED;
}

/**
 * Returns the copy of a valid value, or `undefined` for any other, also for one that throws when it is read.
 *
 * @example
 * ```ts
 * import { listCheck, recordCheck, validCopy, textCheck } from "@agent-history/core/stored-form";
 *
 * const check = recordCheck<{ readonly names: readonly string[] }>({ names: listCheck(textCheck) });
 * validCopy(check, { names: ["Ada"], unknown: 1 });
 * // => { names: ["Ada"] }
 * validCopy(check, { names: "Ada" });
 * // => undefined
 * ```
 */
export function validCopy<Value>(check: Check<Value>, value: unknown): Value | undefined {
  try {
    const copy = check(value, noRefusal());
    return copy === REFUSED ? undefined : copy;
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
