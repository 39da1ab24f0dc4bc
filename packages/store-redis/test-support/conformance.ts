import type { ThreadDriver } from "@agent-history/store-kit";
import { describeHistoryStore } from "@agent-history/testkit/store";
import { afterAll } from "vitest";

import { openClient } from "./open-client.ts";
import type { ClientAddress, OpenClient } from "./open-client.ts";
import { redisStoreOn } from "./open-store.ts";

/** How the suite is run on a server. */
export interface ConformanceOptions {
  readonly address: () => Promise<ClientAddress> | ClientAddress;
  /** Ends what `address` started. */
  readonly stop?: () => Promise<void>;
  /** Before every namespace, where the server is not the test's own. */
  readonly prefix?: string;
  /** Runs of each property. */
  readonly runs: number;
  /** As in the suite. */
  readonly hasLongTests?: boolean;
  readonly wrapDriver?: (driver: ThreadDriver) => ThreadDriver;
}

/**
 * Declares the suite of all stores for one kind of client and server.
 *
 * Two clients take turns, so that two handles on one namespace share no connection.
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
