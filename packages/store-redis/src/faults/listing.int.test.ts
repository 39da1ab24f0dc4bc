import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore's list", () => {
  it("misses no thread that was written again after the server lost everything", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "lost" };
    await using opened = await openStore(address);
    const { store } = opened;
    await store.append("appended", batchOf("w", 0, 3));
    await store.setState("stated", "key", 1, { expectedRevision: 0 });
    const { send, destroy } = await openClient(address);
    await send(["FLUSHALL"]);
    destroy();
    const error = await historyErrorOf(store.append("appended", batchOf("w", 0, 3)));
    expect(error.code).toBe("HISTORY_REWOUND");
    await store.append("appended", batchOf("w", 0, 3));
    await historyErrorOf(store.setState("stated", "key", 1, { expectedRevision: 0 }));
    await store.setState("stated", "key", 1, { expectedRevision: 0 });
    expect(await listed(store)).toEqual(["appended", "stated"]);
  });

  it("misses no thread that began anew after another handle deleted it", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "reborn" };
    await using one = await openStore(address);
    await using other = await openStore(address);
    await one.store.setState("stated", "key", 1, { expectedRevision: 0 });
    await one.store.append("appended", batchOf("w", 0, 3));
    for (const thread of ["stated", "appended"]) await other.store.delete(thread);
    const { send, destroy } = await openClient(address);
    // As tombstones that expire.
    const tombstones = await send(["KEYS", "ah:{reborn:*"]);
    if (Array.isArray(tombstones)) await send(["UNLINK", ...tombstones.map(String)]);
    destroy();
    await historyErrorOf(one.store.setState("stated", "key", 1, { expectedRevision: 0 }));
    await one.store.setState("stated", "key", 1, { expectedRevision: 0 });
    await historyErrorOf(one.store.append("appended", batchOf("w", 0, 3)));
    await one.store.append("appended", batchOf("w", 0, 3));
    expect(await listed(other.store)).toEqual(["appended", "stated"]);
  });
});

async function listed(store: HistoryStore): Promise<readonly string[]> {
  const { threads } = await store.list();
  return threads.map(({ threadId }) => threadId).toSorted();
}
