import type { PGlite } from "@electric-sql/pglite";
import { type Client, Pool } from "pg";
import { describe, expect, expectTypeOf, it } from "vitest";

import type { PostgresClient } from "./postgres-client.ts";
import { postgresStore } from "./postgres-store.ts";

describe("a client", () => {
  it("may be a pool or a client of pg, or PGlite, by their types", () => {
    expectTypeOf<Pool>().toExtend<PostgresClient>();
    expectTypeOf<Client>().toExtend<PostgresClient>();
    expectTypeOf<PGlite>().toExtend<PostgresClient>();
  });

  it("of pg that finds no server says that nothing was written", async () => {
    const client = new Pool({ host: "127.0.0.1", port: 1 });
    const store = postgresStore({ client });

    await expect(store.append("thread", [])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "not-sent", reason: "unreachable" },
    });
    await store.close();
    await client.end();
  });
});
