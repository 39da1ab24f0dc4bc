import type { Answer, Fetch, StoreProgram } from "./store-program.ts";

/** Drives a program where every fetch is answered at once. */
export function runProgram<Result>(
  program: StoreProgram<Result>,
  answer: (fetch: Fetch) => Answer,
): Result {
  let step = program.next([]);
  while (step.done !== true) step = program.next(step.value.map((fetch) => answer(fetch)));
  return step.value;
}

/** Drives a program where a round of fetches is one round trip. */
export async function runProgramAsync<Result>(
  program: StoreProgram<Result>,
  answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>,
): Promise<Result> {
  let step = program.next([]);
  while (step.done !== true) step = program.next(await answer(step.value));
  return step.value;
}
