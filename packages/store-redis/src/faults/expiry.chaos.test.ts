import { summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { eventually } from "../../test-support/eventually.ts";
import { openClient } from "../../test-support/open-client.ts";
import type { OpenClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore with a time to live", () => {
  it("lets all keys of a tree expire at one moment, whichever was written last", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "ttl", options: { ttlMs: 3_600_000 } };
    await using opened = await openStore(address);
    await using second = await openStore(address);
    const admin = await openClient(address);
    const { store } = opened;
    const writes = [
      () => store.append("t", batchOf("w", 0, 5)),
      () => second.store.append("t", batchOf("x", 0, 4)),
      () => store.setState("t", "plan", 1, { expectedRevision: 0 }),
      () => store.fork("t", { at: "w.0.4.5", as: "b" }),
      () => second.store.append("t/b", batchOf("y", 0, 3)),
      () => store.append("t", batchOf("w", 1, 5)),
      () =>
        second.store.commitCompaction("t", {
          view: "conversation",
          summary: summary({ id: "sum", strategy: "test", trust: "user", content: "Before." }),
          covers: [{ from: "w.0.0.5", to: "w.0.0.5" }],
          expectedViewRevision: 0,
        }),
      () => store.expand("t", "sum"),
      () => replace(store, "t", "w.1.4.5"),
      () => second.store.append("t", batchOf("z", 0, 40)),
      () => store.fork("t", { at: "z.0.30.40", as: "c" }),
      () => replace(second.store, "t", "z.0.20.40"),
      () => replace(store, "t/c", "z.0.30.40"),
      () => store.delete("t/b"),
      () => second.store.append("t", batchOf("x", 1, 4)),
    ];
    let last = 0;
    for (const write of writes) {
      await write();
      const moments = await expiries(admin);
      expect(new Set(moments).size).toBe(1);
      expect(moments[0]).toBeGreaterThan(0);
      expect(moments[0]).toBeGreaterThanOrEqual(last);
      last = moments[0] ?? 0;
    }
    admin.destroy();
  });

  it("leaves nothing of a thread, which can begin anew", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "ttl", options: { ttlMs: 150 } };
    await using opened = await openStore(address);
    const admin = await openClient(address);
    await opened.store.append("t", batchOf("w", 0, 5));
    await eventually("the thread expires", async () => (await expiries(admin)).length === 0);
    await using fresh = await openStore({ ...address, options: {} });
    expect(await fresh.store.read("t")).toMatchObject({ version: 0, entries: [] });
    expect(await fresh.store.list()).toEqual({ threads: [] });
    expect(await fresh.store.append("t", batchOf("w", 0, 2))).toMatchObject({ version: 2 });
    // The handle that wrote it knows that it had to expire: that is no lost write.
    await using other = await openStore(address);
    await other.store.append("u", batchOf("w", 0, 2));
    await eventually("the other expires", async () => (await expiries(admin, "u")).length === 0);
    expect(await other.store.append("u", batchOf("w", 1, 2))).toMatchObject({ version: 2 });
    admin.destroy();
  });
});

function replace(store: HistoryStore, threadId: string, from: string): Promise<unknown> {
  const replacement = batchOf(`r${from}`, 0, 2);
  const call = { from, expectedVersion: "any", replacement, operationId: from } as const;
  return store.replaceSuffix(threadId, call);
}

/** When each key of the tree expires; -1 where it does not. */
async function expiries({ send }: OpenClient, thread = "t"): Promise<number[]> {
  const keys = await send(["KEYS", `*{ttl:${thread}}*`]);
  const found: number[] = [];
  for (const key of Array.isArray(keys) ? keys : []) {
    found.push(Number(await send(["PEXPIRETIME", String(key)])));
  }
  return found;
}
