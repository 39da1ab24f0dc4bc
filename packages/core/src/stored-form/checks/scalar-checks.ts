import { refuse } from "./check.ts";
import type { Check } from "./check.ts";

/** Takes any text, the empty one too. */
export const textCheck: Check<string> = (value, refusal) =>
  typeof value === "string" ? value : refuse(refusal, "Expected a string", value);

/** Takes an id or a name. */
export const nonEmptyTextCheck: Check<string> = (value, refusal) =>
  typeof value === "string" && value !== ""
    ? value
    : refuse(refusal, "Expected a non-empty string", value);

/** Takes an integer of 0 or more. JSON has no -0: it becomes 0. */
export const countCheck: Check<number> = integerCheck({
  least: 0,
  message: "Expected an integer of 0 or more",
});

/** Takes a finite number. JSON has no -0: it becomes 0. */
export const numberCheck: Check<number> = (value, refusal) =>
  typeof value === "number" && Number.isFinite(value)
    ? value + 0
    : refuse(refusal, "Expected a finite number", value);

/** Takes `true` and `false`. */
export const booleanCheck: Check<boolean> = (value, refusal) =>
  typeof value === "boolean" ? value : refuse(refusal, "Expected true or false", value);

/** Takes anything that is there, and does not copy it. */
export const unknownCheck: Check<unknown> = (value, refusal) =>
  value === undefined ? refuse(refusal, "Expected a value", value) : value;

/** Makes a check of safe integers, of any or of a range. JSON has no -0: it becomes 0. */
export function integerCheck({
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
  message = "Expected an integer",
}: IntegerOptions = {}): Check<number> {
  return (value, refusal) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
      ? value + 0
      : refuse(refusal, message, value);
}

/** Which integers, and what is said of what is none of them. */
interface IntegerOptions {
  /** Default: the least safe integer. */
  readonly least?: number;
  /** Default: the greatest safe integer. */
  readonly most?: number;
  readonly message?: string;
}

/** Makes a check of texts that are one of a few words. */
export function oneOfCheck<const Words extends readonly string[]>(
  words: Words,
  message: string,
): Check<Words[number]> {
  const known = new Set<unknown>(words);
  const isOne = (value: unknown): value is Words[number] => known.has(value);
  return (value, refusal) => (isOne(value) ? value : refuse(refusal, message, value));
}

/** Makes a check of one word. */
export function literalCheck<const Word extends string>(word: Word): Check<Word> {
  return (value, refusal) => (value === word ? word : refuse(refusal, `Expected ${word}`, value));
}
