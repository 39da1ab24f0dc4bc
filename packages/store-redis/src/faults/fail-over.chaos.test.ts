import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { failOver } from "../../test-support/faults/fail-over.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";
import { startSentinel } from "../../test-support/servers/start-sentinel.ts";

await describeWithRedis("redisStore when a replica that lags takes over", () => {
  it("says what was lost with HISTORY_REWOUND, and leaves whole threads", async () => {
    const report = await failOver({ replicas: 0, threads: 5, batches: 4 });
    expect(report.violations).toEqual([]);
    expect(report.audit.missing).toBe(5 * 4 * 3);
    expect(report.figures["threads told of"]).toBe(5);
  });

  it("says that all is lost when a server that keeps nothing begins anew", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "anew" };
    await using opened = await openStore(address);
    await opened.store.append("thread", batchOf("w", 0, 3));
    await server.kill9();
    await server.restart();
    const batch = batchOf("w", 1, 3);
    const calls = [opened.store.append("thread", batch), opened.store.read("thread")];
    const errors = await Promise.all(calls.map(historyErrorOf));
    expect(errors.map(({ code }) => code)).toEqual(["HISTORY_REWOUND", "HISTORY_REWOUND"]);
    await using fresh = await openStore(address);
    expect(await fresh.store.read("thread")).toMatchObject({ version: 0, entries: [] });
  });

  it("loses nothing that was acknowledged with one replica waited for", async () => {
    const report = await failOver({ replicas: 1, threads: 5, batches: 4 });
    expect(report.violations).toEqual([]);
    expect(report.audit.acknowledged).toBe(5 * 4 * 3);
    expect(report.figures["writes not replicated"]).toBe(5);
  });

  it("writes and reads by a sentinel", async () => {
    await using primary = await startRedisServer();
    await using sentinel = await startSentinel(primary.port);
    const address = { urls: [sentinel.url], kind: "sentinel", namespace: "sentinel" } as const;
    await using opened = await openStore(address);
    await opened.store.append("thread", batchOf("w", 0, 5));
    await opened.store.fork("thread", { at: "w.0.2.5", as: "other" });
    await opened.store.append("thread/other", batchOf("w", 1, 2));
    await using direct = await openStore({ urls: [primary.url], namespace: "sentinel" });
    expect(await direct.store.read("thread/other")).toEqual(
      await opened.store.read("thread/other"),
    );
    expect((await direct.store.read("thread/other")).version).toBe(5);
  });
});
