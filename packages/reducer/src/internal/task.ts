import { HistoryError, throwIfAborted } from "@agent-history/core";

/** Work that may have to wait: one algorithm for the sync and the async form. */
export type Task<Result> = Generator<Promise<void>, Result, void>;

/** Gives a value that may be a promise, waiting only where it is one. */
export function* settle<Value>(value: Value | Promise<Value>): Task<Value> {
  if (!(value instanceof Promise)) return value;
  let settled: { readonly value: Value } | undefined;
  const store = (result: Value): void => {
    settled = { value: result };
  };
  yield value.then(store);
  if (settled === undefined)
    throw new HistoryError("A promise did not settle.", { code: "STEP_FAILED" });
  return settled.value;
}

/** Runs work that must not wait. */
export function runSync<Result>(task: Task<Result>): Result {
  const { done, value } = task.next();
  if (done === true) return value;
  // Nobody will await it: its failure must not become an unhandled rejection.
  value.catch(() => undefined);
  throw new HistoryError(
    "The counter, a step or the scorer is asynchronous. Use fitToWindowAsync.",
    { code: "INVALID_OPTION", details: { option: "counter" } },
  );
}

/** Runs work that may wait. */
export async function runAsync<Result>(
  task: Task<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (;;) {
    throwIfAborted(signal);
    const { done, value } = task.next();
    if (done === true) return value;
    await value;
  }
}
