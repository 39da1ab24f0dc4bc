import { HistoryError, isHistoryError } from "@agent-history/core";

import type { Answer, Fetch, StoreProgram } from "./store-program.ts";

/**
 * Drives a program where every fetch is answered at once.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` where what is stored cannot be read.
 */
export function runProgram<Result>(
  program: StoreProgram<Result>,
  answer: (fetch: Fetch) => Answer,
): Result {
  let step = next(program, []);
  while (step.done !== true) step = next(program, step.value.map(answer));
  return step.value;
}

/**
 * Drives a program where a round of fetches is one round trip.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` where what is stored cannot be read.
 */
export async function runProgramAsync<Result>(
  program: StoreProgram<Result>,
  answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>,
): Promise<Result> {
  let step = next(program, []);
  while (step.done !== true) step = next(program, await answer(step.value));
  return step.value;
}

/**
 * A program computes from nothing but checked options and stored texts. What it throws by itself is therefore a text that no release wrote; the
 * engine's error would quote it.
 */
function next<Result>(
  program: StoreProgram<Result>,
  answers: readonly Answer[],
): IteratorResult<readonly Fetch[], Result> {
  try {
    return program.next(answers);
  } catch (error) {
    if (isHistoryError(error)) throw error;
    throw new HistoryError(
      "Expected the thread's index and summaries to be what this package wrote. Restore a backup, or read what is left with `originals`.",
      { code: "THREAD_CORRUPT", details: { reason: "index" } },
    );
  }
}
