import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { holdClock } from "../../test-support/held-clock.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { audit, violations } from "../../test-support/oracle/audit.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { ledger } from "../../test-support/oracle/ledger.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore on a server without memory", () => {
  it("says that it is full, leaves nothing half written, reads on, and takes the same batch later", async () => {
    await using server = await startRedisServer({ maxmemory: "8mb" });
    await using opened = await openStore({ urls: [server.url], namespace: "full" });
    const { store } = opened;
    const book = ledger();
    let full: Error | undefined;
    let line = { thread: "", writer: "w", batch: 0, size: 0 };
    for (let batch = 0; full === undefined; batch += 1) {
      line = { thread: `thread-${batch % 7}`, writer: "w", batch, size: 1 + (batch % 9) };
      book.sent(line);
      const written = store.append(line.thread, batchOf("w", batch, line.size, 900));
      const failure = await written.then(
        () => undefined,
        (error: Error) => error,
      );
      if (failure === undefined) book.acknowledged(line);
      full = failure;
    }
    expect(full).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "full" },
    });
    const found = await audit(store, book);
    expect(violations(found)).toEqual([]);
    expect(found).toMatchObject({ unacknowledged: 0, present: found.acknowledged });
    const { send, destroy } = await openClient({ urls: [server.url] });
    await send(["CONFIG", "SET", "maxmemory", "0"]);
    const again = batchOf("w", line.batch, line.size, 900);
    expect(await store.append(line.thread, again)).toMatchObject({ duplicate: false });
    destroy();
  });

  it.for(["allkeys-lru", "volatile-ttl", "allkeys-random"])(
    "refuses the policy %s, which deletes what threads are made of",
    async (policy) => {
      await using server = await startRedisServer({ policy });
      await using opened = await openStore({ urls: [server.url], namespace: "evicting" });
      const batch = batchOf("w", 0, 2);
      const error = await historyErrorOf(opened.store.append("thread", batch));
      expect(error.code).toBe("STORE_MISCONFIGURED");
      expect(error.message).toContain(policy);
      const { send, destroy } = await openClient({ urls: [server.url] });
      expect(await send(["DBSIZE"])).toBe(0);
      destroy();
    },
  );

  it("notices a policy that is changed while it runs, a minute later at the latest", async () => {
    const clock = holdClock();
    await using server = await startRedisServer();
    await using opened = await openStore({ urls: [server.url], namespace: "evicting" });
    await opened.store.append("thread", batchOf("w", 0, 1));
    const { send, destroy } = await openClient({ urls: [server.url] });
    await send(["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    await opened.store.append("thread", batchOf("w", 1, 1));
    clock.pass(60_001);
    const calls = [opened.store.append("thread", batchOf("w", 2, 1)), opened.store.read("thread")];
    for (const call of calls) {
      expect(await historyErrorOf(call)).toMatchObject({
        code: "STORE_MISCONFIGURED",
        details: { reason: "eviction", policy: "allkeys-lru" },
      });
    }
    await send(["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    expect(await opened.store.append("thread", batchOf("w", 2, 1))).toMatchObject({ version: 3 });
    destroy();
  });

  it("takes an evicting policy that was allowed, and tells of it", async () => {
    await using server = await startRedisServer({ policy: "allkeys-lru" });
    const address = { urls: [server.url], namespace: "evicting", options: { allowEviction: true } };
    await using opened = await openStore(address);
    expect(await opened.store.append("thread", batchOf("w", 0, 2))).toMatchObject({ version: 2 });
    expect(JSON.stringify(await opened.store.describe())).toContain("allkeys-lru");
  });
});
