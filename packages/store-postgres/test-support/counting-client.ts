import type { PostgresClient } from "../src/index.ts";

/** A client that counts the statements it sends. */
export interface CountingClient extends PostgresClient {
  readonly count: () => number;
}

/** Counts the statements of a client. */
export function countingClient(client: PostgresClient): CountingClient {
  let sent = 0;
  return {
    count: () => sent,
    query: (text, values) => {
      sent += 1;
      return client.query(text, values);
    },
  };
}
