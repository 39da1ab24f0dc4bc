/** Runs one piece of work after the other, in the order they were asked for. One that fails does not stop the next. */
export type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a {@link SerialQueue}. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
