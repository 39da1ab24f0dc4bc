import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openStore } from "../../test-support/open-store.ts";
import { startLosingProxy } from "../../test-support/proxies/start-losing-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const LOCK = { held: true };

await describeWithRedis("redisStore, where a request is lost", () => {
  it("gives a lock to one of two who write the same value", async () => {
    await using server = await startRedisServer();
    await using proxy = await startLosingProxy(server.port);
    await using unlucky = await openStore({ urls: [proxy.url], namespace: "lock" });
    await using other = await openStore({ urls: [server.url], namespace: "lock" });
    await unlucky.store.getState("thread", "lock");
    const lost = proxy.lose('"held"');
    const first = historyErrorOf(
      unlucky.store.setState("thread", "lock", LOCK, { expectedRevision: 0 }),
    );
    await lost;
    const second = await other.store.setState("thread", "lock", LOCK, { expectedRevision: 0 });
    proxy.release();
    expect(second).toEqual({ revision: 1 });
    expect(await first).toMatchObject({ code: "VERSION_CONFLICT" });
  });

  it("does not take another's equal value for its own, however many came between", async () => {
    await using server = await startRedisServer();
    await using proxy = await startLosingProxy(server.port);
    await using unlucky = await openStore({ urls: [proxy.url], namespace: "lock" });
    await using other = await openStore({ urls: [server.url], namespace: "lock" });
    await unlucky.store.setState("thread", "key", "before", { expectedRevision: 0 });
    const lost = proxy.lose('"mine"');
    const first = historyErrorOf(
      unlucky.store.setState("thread", "key", "mine", { expectedRevision: 1 }),
    );
    await lost;
    await other.store.setState("thread", "key", "other", { expectedRevision: 1 });
    await other.store.setState("thread", "key", "mine", { expectedRevision: 2 });
    proxy.release();
    // It may have been written at revision 2, and written over: nobody can tell.
    expect(await first).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  });
});
