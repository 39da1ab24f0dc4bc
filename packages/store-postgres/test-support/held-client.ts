import type { PostgresClient, PostgresRow } from "../src/index.ts";

/** A client whose statements a test answers one by one. */
export interface HeldClient extends PostgresClient {
  /** How many statements wait. */
  readonly waiting: () => number;
  readonly answer: (rows: readonly PostgresRow[]) => void;
  /** Answers the newest first, as another connection of a pool does. */
  readonly answerLast: (rows: readonly PostgresRow[]) => void;
  readonly fail: (error: unknown) => void;
}

interface Held {
  readonly resolve: (result: { readonly rows: readonly PostgresRow[] }) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a client that answers nothing by itself. */
export function heldClient(): HeldClient {
  const held: Held[] = [];
  return {
    query: () => new Promise((resolve, reject) => held.push({ resolve, reject })),
    waiting: () => held.length,
    answer: (rows) => held.shift()?.resolve({ rows }),
    answerLast: (rows) => held.pop()?.resolve({ rows }),
    fail: (error) => held.shift()?.reject(error),
  };
}

/** Lets everything go on that waits for nothing. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
