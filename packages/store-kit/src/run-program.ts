import { overStored } from "./over-stored.ts";
import type { Answer, Fetch, StoreProgram } from "./store-program.ts";

/**
 * Drives a program where every fetch is answered at once.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if what is stored cannot be read.
 */
export function runProgram<Result>(
  program: StoreProgram<Result>,
  answer: (fetch: Fetch) => Answer,
): Result {
  let step = overStored(() => program.next([]));
  while (step.done !== true) {
    const answers = step.value.map(answer);
    step = overStored(() => program.next(answers));
  }
  return step.value;
}

/**
 * Drives a program where a round of fetches is one round trip.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if what is stored cannot be read.
 */
export async function runProgramAsync<Result>(
  program: StoreProgram<Result>,
  answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>,
): Promise<Result> {
  let step = overStored(() => program.next([]));
  while (step.done !== true) {
    const answers = await answer(step.value);
    step = overStored(() => program.next(answers));
  }
  return step.value;
}
