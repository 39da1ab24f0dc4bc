/** Linear work on a long history, in steps of some milliseconds: between two of them the caller may let other work run. */
export type Steps<Result> = Generator<undefined, Result>;

/** How many items are worked on in one step. */
const STEP = 10_000;

/** Does something with each item, in steps of 10,000. */
export function* inSteps<Item>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => void,
): Steps<void> {
  let index = 0;
  for (const item of items) {
    if (index % STEP === STEP - 1) yield;
    work(item, index);
    index += 1;
  }
}
