import { throwIfAborted } from "@agent-history/core";

/** How long work goes on before others have their turn. */
const TURN_MS = 10;

/** Returns what to ask between two pieces of work: whom to wait for where work has gone on for some milliseconds, else nothing. */
export function turnTaker(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let start = Date.now();
  return () => {
    if (Math.abs(Date.now() - start) < TURN_MS) return undefined;
    return othersTurn(signal).finally(() => (start = Date.now()));
  };
}

/** Lets other work run. */
async function othersTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
  throwIfAborted(signal);
}
