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
  let step = stepProgram(program);
  while (step.done !== true) step = stepProgram(program, step.value.map(answer));
  return step.value;
}

/**
 * Takes a program on to its next round, or to its result: for a store that does other work between the rounds.
 *
 * @param answers - Those of the round before; none at the beginning.
 * @throws `HistoryError` with code `THREAD_CORRUPT` if what is stored cannot be read.
 */
export function stepProgram<Result>(
  program: StoreProgram<Result>,
  answers: readonly Answer[] = [],
): IteratorResult<readonly Fetch[], Result> {
  return overStored(() => program.next(answers));
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
  let step = stepProgram(program);
  while (step.done !== true) {
    const round = step.value;
    // A round that asks for nothing is a pause.
    step = stepProgram(program, round.length === 0 ? await othersTurn() : await answer(round));
  }
  return step.value;
}

async function othersTurn(): Promise<readonly never[]> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
  return [];
}
