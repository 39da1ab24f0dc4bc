import { describeHistoryStore } from "@agent-history/testkit/store";
import { Client } from "pg";
import { afterAll } from "vitest";

import { describeWithPostgres } from "../../../testkit/test-support/servers/describe-with-server.ts";
import { startPostgres } from "../../../testkit/test-support/servers/start-postgres.ts";
import type { PostgresServer } from "../../../testkit/test-support/servers/start-postgres.ts";
import { ISOLATIONS, poolOf } from "../../test-support/open-store.ts";
import { schemaPool } from "../../test-support/schema-pool.ts";
import type { PostgresClient } from "../postgres-client.ts";
import { postgresStore } from "../postgres-store.ts";

interface EndingClient extends PostgresClient {
  readonly end: () => Promise<void>;
}

await describeWithPostgres("postgresStore", () => {
  let server: Promise<PostgresServer> | undefined;
  const clients: EndingClient[] = [];
  afterAll(async () => {
    for (const client of clients) await client.end();
    await (await server)?.[Symbol.asyncDispose]();
  });

  function describeBy(name: string, connect: (url: string) => Promise<EndingClient>): void {
    const open = async () => {
      server ??= startPostgres();
      const client = await connect((await server).url);
      clients.push(client);
      return { client, schemaOf: schemaPool(client, `s${clients.length}_`) };
    };
    let opened: ReturnType<typeof open> | undefined;
    describeHistoryStore(
      `postgresStore by ${name}`,
      async (location) => {
        opened ??= open();
        const { client, schemaOf } = await opened;
        return postgresStore({ client, schema: schemaOf(location) });
      },
      { runs: 10 },
    );
  }

  for (const isolation of ISOLATIONS) {
    describeBy(`a pool, ${isolation}`, async (url) => poolOf({ url, connections: 8, isolation }));
  }
  describeBy("a client", async (url) => {
    const client = new Client(url);
    await client.connect();
    return client;
  });
});
