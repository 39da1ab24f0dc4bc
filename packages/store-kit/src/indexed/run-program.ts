import { throwIfAborted } from "@agent-history/core";

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
 * @param signal - Ends it at a pause; a round is ended by `answer`.
 * @throws `HistoryError` with code `THREAD_CORRUPT` if what is stored cannot be read, `ABORTED` where the signal fires.
 */
export async function runProgramAsync<Result>(
  program: StoreProgram<Result>,
  answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>,
  signal?: AbortSignal,
): Promise<Result> {
  let step = stepProgram(program);
  while (step.done !== true) {
    const round = step.value;
    const answers = round.length > 0 ? await answer(round) : await othersTurn();
    // A round that asks for nothing is a pause.
    if (round.length === 0) throwIfAborted(signal);
    step = stepProgram(program, answers);
  }
  return step.value;
}

async function othersTurn(): Promise<readonly never[]> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
  return [];
}
