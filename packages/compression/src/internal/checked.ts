import { HistoryError, countOption, isHistoryError } from "@agent-history/core";
import type { TokenCounter } from "@agent-history/core";

/** Returns a counter whose counts are checked: a throw or anything but an integer from 0 is `COUNTER_FAILED`. */
export function checkedCounter(counter: TokenCounter): TokenCounter {
  const { id } = counter;
  return {
    ...checkedTextCounter(counter),
    id,
    countEntry: (entry, viewer) =>
      checked(() => counter.countEntry(entry, viewer), { counterId: id, entryId: entry.id }),
    countRequest: (tools) => checked(() => counter.countRequest(tools), { counterId: id }),
  };
}

/** The same for a counter of bare texts. */
export function checkedTextCounter(
  counter: Pick<TokenCounter, "countText">,
): Pick<TokenCounter, "countText"> {
  return { countText: (text) => checked(() => counter.countText(text)) };
}

/** Returns whether a counter failed, so that retrying is useless. */
export function isCounterFailure(error: unknown): boolean {
  return isHistoryError(error, "COUNTER_FAILED");
}

function checked(
  count: () => unknown,
  details: { readonly counterId?: string; readonly entryId?: string } = {},
): number {
  let counted: unknown;
  let cause: unknown;
  try {
    counted = count();
  } catch (error) {
    cause = error;
  }
  if (typeof counted === "number" && Number.isInteger(counted) && counted >= 0) return counted;
  const received = typeof counted === "number" ? String(counted) : typeof counted;
  const what = cause === undefined ? `got ${received}` : "it failed";
  throw new HistoryError(
    `Expected the token counter to return a non-negative integer; ${what}. Nothing was changed.`,
    { code: "COUNTER_FAILED", details, cause },
  );
}

/** Returns a count of at least `least`, or `Infinity`. */
export function countFrom(least: number, option: string, value: number): number {
  if (countOption(option, value) < least) throw invalidOption(option, `${least} or more`);
  return value;
}

/** The error for an invalid option. */
export function invalidOption(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
