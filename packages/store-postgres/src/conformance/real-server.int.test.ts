import { describeHistoryStore } from "@agent-history/testkit/store";
import { afterAll } from "vitest";

import { describeWithPostgres } from "../../../testkit/test-support/servers/describe-with-server.ts";
import { startPostgres } from "../../../testkit/test-support/servers/start-postgres.ts";
import { poolOf } from "../../test-support/open-store.ts";
import { schemaPool } from "../../test-support/schema-pool.ts";
import { postgresStore } from "../postgres-store.ts";

// Other isolation levels, and a single connection, are tried by `chaos --tests`.
await describeWithPostgres("postgresStore", () => {
  const ending = new AsyncDisposableStack();
  const open = async () => {
    const { url } = ending.use(await startPostgres());
    const client = poolOf({ url, connections: 8, isolation: "read committed" });
    ending.defer(() => client.end());
    return { client, schemaOf: schemaPool(client) };
  };
  let opened: ReturnType<typeof open> | undefined;
  afterAll(() => ending.disposeAsync());

  describeHistoryStore(
    "postgresStore by a pool",
    async (location) => {
      opened ??= open();
      const { client, schemaOf } = await opened;
      return postgresStore({ client, schema: schemaOf(location) });
    },
    // The long tests run by `chaos --tests`.
    { runs: 3, hasLongTests: false },
  );
});
