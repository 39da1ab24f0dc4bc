import { inSteps } from "./steps.ts";
import type { Steps } from "./steps.ts";
import type { StoreProgram } from "./store-program.ts";

/** Does something with each item; lets other work run between two steps of 10,000. */
export function* eachInSteps<Item>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => void,
): StoreProgram<void> {
  yield* pausing(inSteps(items, work));
}

/** Takes steps to their end; lets other work run between two of them. */
function* pausing<Result>(steps: Steps<Result>): StoreProgram<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield PAUSE;
  }
}

/** A round that asks for nothing. */
const PAUSE: readonly never[] = [];
