import { setTimeout as wait } from "node:timers/promises";

/** Does something every few milliseconds, one after another, until the function that it gives is called and has waited for the last. */
export function repeatEvery(ms: number, action: () => void | Promise<void>): () => Promise<void> {
  let isOver = false;
  const isGoingOn = (): boolean => !isOver;
  const repeat = async (): Promise<void> => {
    while (isGoingOn()) {
      await action();
      await wait(ms);
    }
  };
  const repeated = repeat();
  // Heard by whoever stops it.
  repeated.catch(() => undefined);
  return async () => {
    isOver = true;
    await repeated;
  };
}
