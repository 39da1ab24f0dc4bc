import { HistoryError, throwIfAborted } from "@agent-history/core";

/** Work that may have to wait: one algorithm for the sync and the async form. What it waits for never rejects. */
export type MaybeAsync<Result> = Generator<Promise<void>, Result, void>;

/** Returns a value that may be a promise, waiting only where it is one. Throws what the promise rejects with. */
export function* waitFor<Value>(value: Value | PromiseLike<Value>): MaybeAsync<Value> {
  if (!isThenable(value)) return value;
  let unwrap = (): Value => {
    throw new HistoryError("A promise did not settle.", { code: "STEP_FAILED" });
  };
  const keep = (result: Value): void => {
    unwrap = () => result;
  };
  const fail = (cause: unknown): void => {
    unwrap = () => {
      throw cause;
    };
  };
  yield Promise.resolve(value).then(keep, fail);
  return unwrap();
}

/** Returns whether a value must be awaited, whoever made its promise. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** Runs work that must not wait. */
export function runSync<Result>(task: MaybeAsync<Result>): Result {
  const { done, value } = task.next();
  if (done === true) return value;
  throw new HistoryError(
    "The counter, a step or the scorer is asynchronous. Use fitToWindowAsync.",
    { code: "INVALID_OPTION", details: { option: "counter" } },
  );
}

/** Runs work that may wait. When the signal fires, it ends at once, whatever it is waiting for. */
export async function runAsync<Result>(
  task: MaybeAsync<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (;;) {
    throwIfAborted(signal);
    const { done, value } = task.next();
    if (done === true) return value;
    await untilAborted(value, signal);
  }
}

/** Waits for work that may never end, until the signal fires. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  if (signal.aborted) return;
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", stop);
  await Promise.race([work, aborted]);
  signal.removeEventListener("abort", stop);
}
