import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { encryptedDriver } from "@agent-history/store-kit/encryption";
import { describeHistoryStore } from "@agent-history/testkit/store";
import type { Pool } from "pg";
import { afterAll, expect, it } from "vitest";

import { PLAIN, testKeys, writePlain } from "../../../testkit/test-support/encrypted.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { poolOf } from "../../test-support/open-store.ts";
import { schemaPool } from "../../test-support/schema-pool.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";
import { postgresStore } from "../postgres-store.ts";

const encryption = testKeys();

await describeWithPostgres("postgresStore, encrypted", () => {
  const starting = startPostgresServer();
  let pool: Pool | undefined;
  let schemaOf: ((location: string) => string) | undefined;
  afterAll(async () => {
    await pool?.end();
    await (await starting)[Symbol.asyncDispose]();
  });
  const openStore = async (location: string) => {
    const { url } = await starting;
    pool ??= poolOf({ url, connections: 8, isolation: "read committed" });
    schemaOf ??= schemaPool(pool, "e_");
    return postgresStore({
      client: pool,
      schema: schemaOf(location),
      wrapDriver: (driver) => encryptedDriver(driver, encryption),
    });
  };

  describeHistoryStore("postgresStore, encrypted,", openStore, { runs: 2 });

  it("has no plain text of 10,000 entries in the files of the server, its log of writes included", async () => {
    await writePlain(await openStore("plain"));
    const { data } = await starting;
    await pool?.query("CHECKPOINT");
    const bytes = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
    expect(bytes.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(1_000_000);
    for (const text of bytes) expect(PLAIN.test(text)).toBe(false);
  });
});
