import { Client } from "pg";
import { expect, it } from "vitest";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { addressOf, openStore } from "../../test-support/open-store.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";

await describeWithPostgres("a write that the server undoes", () => {
  it("after its caller was told that the outcome is unknown is not sent again", async () => {
    await using server = await startPostgresServer();
    const isolation = "repeatable read";
    await using opened = await openStore(addressOf(server.url, { isolation, connections: 1 }));
    const { store } = opened;
    await store.setState("thread", "key", "first", { expectedRevision: 0 });
    await using other = await connected(server.url);
    await other.client.query("BEGIN");
    await other.client.query("UPDATE t.threads SET stamp = stamp");
    const caller = new AbortController();
    const { signal } = caller;
    const late = store.setState("thread", "key", "late", { expectedRevision: 1, signal });
    const answer = late.catch((error: unknown) => error);
    await eventually("the write waits for the row", async () => {
      const { rowCount } = await other.client.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    caller.abort();
    expect(await answer).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    // Its snapshot is older than this change: the server undoes the write.
    await other.client.query("COMMIT");
    // The second waits for the only connection behind whatever the first write is sent as again.
    for (let read = 0; read < 2; read += 1) {
      expect(await store.getState("thread", "key")).toEqual({ value: "first", revision: 1 });
    }
  });
});

async function connected(url: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client(url);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
