import type { StoreProgram } from "./store-program.ts";

/** How many items a program works on at once: some milliseconds of work. */
const STEP = 10_000;

/** Does something with each item; lets other work run between two steps of 10,000. */
export function* eachInSteps<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): StoreProgram<void> {
  let count = 0;
  for (const item of items) {
    count += 1;
    if (count % STEP === 0) yield PAUSE;
    work(item);
  }
}

/** Takes a generator to its end; lets other work run wherever it yields. */
export function* pausing<Result>(steps: Generator<undefined, Result>): StoreProgram<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield PAUSE;
  }
}

/** A round that asks for nothing. */
const PAUSE: readonly never[] = [];
