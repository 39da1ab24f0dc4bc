import { Pool } from "pg";

import type { OpenStore } from "../../store-redis/test-support/open-store.ts";
import { postgresStore } from "../src/index.ts";

/** Isolation levels that tests set as a connection's default. */
export const ISOLATIONS = ["read committed", "repeatable read", "serializable"] as const;

/** An isolation level. */
export type Isolation = (typeof ISOLATIONS)[number];

/** The address of a store in Postgres; plain JSON, so that another process can open it too. */
export interface PostgresAddress {
  readonly opener: string;
  readonly url: string;
  readonly schema: string;
  /** Size of the pool. */
  readonly connections: number;
  readonly isolation: Isolation;
  readonly timeoutMs: number;
}

/** Fills in defaults. The timeout is so long that calls succeed on a busy machine. */
export function addressOf(
  url: string,
  given: Partial<Omit<PostgresAddress, "opener" | "url">> = {},
): PostgresAddress {
  const isolation = "read committed";
  const usual = { schema: "t", connections: 4, isolation, timeoutMs: 120_000 } as const;
  return { opener: import.meta.url, url, ...usual, ...given };
}

/** Makes a pool that ignores errors of idle connections. */
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

/** Opens a store with its own pool. */
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
