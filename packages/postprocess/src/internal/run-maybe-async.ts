import type { AsyncTextCleaner, TextSpan } from "@agent-history/core";

/** Work that asks for the spans of one cleaner after another. */
export type Steps<Result> = Generator<
  ReturnType<AsyncTextCleaner["findSpans"]>,
  Result,
  readonly TextSpan[]
>;

/** Runs to the end at once, unless a cleaner gives a promise: then the result is one too. */
export function runMaybeAsync<Result>(
  steps: Steps<Result>,
  next: ReturnType<Steps<Result>["next"]> = steps.next(),
): Result | Promise<Result> {
  let step = next;
  while (step.done !== true) {
    if (step.value instanceof Promise) {
      return step.value.then(
        (spans) => runMaybeAsync(steps, steps.next(spans)),
        (error: unknown) => runMaybeAsync(steps, steps.throw(error)),
      );
    }
    step = steps.next(step.value);
  }
  return step.value;
}
