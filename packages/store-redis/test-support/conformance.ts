import type { ThreadDriver } from "@agent-history/store-kit";
import { describeHistoryStore } from "@agent-history/testkit/store";
import { afterAll } from "vitest";

import { openClient } from "./open-client.ts";
import type { ClientAddress, OpenClient } from "./open-client.ts";
import { redisStoreOn } from "./open-store.ts";

/** Options of the suite for a server. */
export interface ConformanceOptions {
  readonly address: () => Promise<ClientAddress> | ClientAddress;
  /** Stops the server that `address` started. */
  readonly stop?: () => Promise<void>;
  /** Prefix of every namespace, if the server is not started by the test. */
  readonly prefix?: string;
  /** Number of runs of each property test. */
  readonly runs: number;
  /** As in the shared suite. */
  readonly hasLongTests?: boolean;
  readonly wrapDriver?: (driver: ThreadDriver) => ThreadDriver;
}

/**
 * Declares the shared store suite for one kind of client and server.
 *
 * Two clients alternate, so that two handles on one namespace never share a connection.
 */
export function describeRedisStore(name: string, options: ConformanceOptions): void {
  const { prefix = "", runs, hasLongTests = true, wrapDriver } = options;
  let clients: Promise<readonly OpenClient[]> | undefined;
  let opened = 0;
  const open = async (): Promise<readonly OpenClient[]> => {
    const address = await options.address();
    return Promise.all([openClient(address), openClient(address)]);
  };
  afterAll(async () => {
    for (const { destroy } of (await clients) ?? []) destroy();
    await options.stop?.();
  });
  describeHistoryStore(
    name,
    async (location) => {
      clients ??= open();
      const both = await clients;
      opened += 1;
      const { client } = both[opened % both.length] ?? {};
      if (client === undefined) throw new Error("Expected two clients");
      return redisStoreOn(client, { namespace: `${prefix}${location}` }, wrapDriver);
    },
    { runs, hasLongTests },
  );
}
