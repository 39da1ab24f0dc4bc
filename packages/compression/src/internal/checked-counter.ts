import { HistoryError, isHistoryError } from "@agent-history/core";
import type { TokenCounter } from "@agent-history/core";

type TextCounter = Pick<TokenCounter, "countText">;

/**
 * Returns a counter whose counts are checked: what throws, or gives no integer of 0 or more, is `COUNTER_FAILED`. A counter that
 * is checked already is returned by identity.
 */
export function checkedCounter(counter: TokenCounter): TokenCounter {
  const known = checked.get(counter);
  if (known !== undefined) return known;
  const { id } = counter;
  const safe: TokenCounter = {
    id,
    countText: (text) => requireCount(() => counter.countText(text), { counterId: id }),
    countEntry: (entry, viewer) =>
      requireCount(() => counter.countEntry(entry, viewer), { counterId: id, entryId: entry.id }),
    countRequest: (tools) => requireCount(() => counter.countRequest(tools), { counterId: id }),
  };
  checked.set(counter, safe);
  checked.set(safe, safe);
  return safe;
}

const checked = new WeakMap<TokenCounter, TokenCounter>();

/** The same for a counter of bare texts. */
export function checkedTextCounter(counter: TextCounter): TextCounter {
  const known = checkedTexts.get(counter);
  if (known !== undefined) return known;
  const safe: TextCounter = {
    countText: (text) => requireCount(() => counter.countText(text), {}),
  };
  checkedTexts.set(counter, safe);
  checkedTexts.set(safe, safe);
  return safe;
}

const checkedTexts = new WeakMap<TextCounter, TextCounter>();

/** Returns whether an error says that a counter failed, which no further attempt repairs. */
export function isCounterFailure(error: unknown): boolean {
  return isHistoryError(error, "COUNTER_FAILED");
}

function requireCount(
  count: () => unknown,
  details: { readonly counterId?: string; readonly entryId?: string },
): number {
  let counted: unknown;
  try {
    counted = count();
  } catch (cause) {
    if (isCounterFailure(cause)) throw cause;
    throw new HistoryError("The token counter failed. Nothing was changed.", {
      code: "COUNTER_FAILED",
      details,
      cause,
    });
  }
  if (typeof counted === "number" && Number.isInteger(counted) && counted >= 0) return counted;
  const received = typeof counted === "number" ? String(counted) : typeof counted;
  throw new HistoryError(
    `Expected the token counter to return a non-negative integer, got ${received}.`,
    { code: "COUNTER_FAILED", details: { ...details, received } },
  );
}
