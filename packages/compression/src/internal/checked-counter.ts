import { HistoryError, isHistoryError } from "@agent-history/core";
import type { TokenCounter } from "@agent-history/core";

/** Returns a counter whose counts are checked: what throws, or gives no integer of 0 or more, is `COUNTER_FAILED`. */
export function checkedCounter(counter: TokenCounter): TokenCounter {
  const { id: counterId } = counter;
  return {
    ...checkedTextCounter(counter, { counterId }),
    id: counterId,
    countEntry: (entry, viewer) =>
      requireCount(() => counter.countEntry(entry, viewer), { counterId, entryId: entry.id }),
    countRequest: (tools) => requireCount(() => counter.countRequest(tools), { counterId }),
  };
}

/** The same for a counter of bare texts. */
export function checkedTextCounter(
  counter: Pick<TokenCounter, "countText">,
  details: { readonly counterId?: string } = {},
): Pick<TokenCounter, "countText"> {
  return { countText: (text) => requireCount(() => counter.countText(text), details) };
}

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
    const message = "The token counter failed. Nothing was changed.";
    throw new HistoryError(message, { code: "COUNTER_FAILED", details, cause });
  }
  if (typeof counted === "number" && Number.isInteger(counted) && counted >= 0) return counted;
  const received = typeof counted === "number" ? String(counted) : typeof counted;
  throw new HistoryError(
    `Expected the token counter to return a non-negative integer, got ${received}.`,
    { code: "COUNTER_FAILED", details: { ...details, received } },
  );
}
