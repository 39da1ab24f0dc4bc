import { Pool } from "pg";

import type { OpenStore } from "../../store-redis/test-support/open-store.ts";
import { postgresStore } from "../src/index.ts";

/** What a transaction sees of others, unless it says otherwise. */
export const ISOLATIONS = ["read committed", "repeatable read", "serializable"] as const;

/** One of them. */
export type Isolation = (typeof ISOLATIONS)[number];

/** Where a store in Postgres is; plain JSON, so that another process can open it too. */
export interface PostgresAddress {
  readonly opener: string;
  readonly url: string;
  readonly schema: string;
  /** How many connections the pool has. */
  readonly connections: number;
  readonly isolation: Isolation;
  readonly timeoutMs: number;
}

/** Fills in what a test does not care about. It waits so long that no busy machine makes it give up. */
export function addressOf(
  url: string,
  given: Partial<Omit<PostgresAddress, "opener" | "url">> = {},
): PostgresAddress {
  const isolation = "read committed";
  const usual = { schema: "t", connections: 4, isolation, timeoutMs: 120_000 } as const;
  return { opener: import.meta.url, url, ...usual, ...given };
}

/** Makes a pool that takes no notice of a connection that ends while nobody uses it. */
export function poolOf({
  url,
  connections,
  isolation,
}: Pick<PostgresAddress, "url" | "connections" | "isolation">): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    options: `-c default_transaction_isolation=${isolation.replace(" ", "\\ ")}`,
  });
  pool.on("error", () => {});
  return pool;
}

/** Opens a store with a pool of its own. */
export async function openStore(address: PostgresAddress): Promise<OpenStore> {
  const { schema, timeoutMs } = address;
  const client = poolOf(address);
  const store = postgresStore({ client, schema, timeoutMs });
  const close = async (): Promise<void> => {
    await store.close();
    await client.end();
  };
  return { store, close, [Symbol.asyncDispose]: close };
}
