import { userMessage } from "@agent-history/core";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openStore } from "../../test-support/open-store.ts";
import { startCountingProxy } from "../../test-support/proxies/start-counting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore with more than it takes", () => {
  it("refuses an entry, a batch and a count that are too large before it sends a byte", async () => {
    await using server = await startRedisServer();
    await using proxy = await startCountingProxy(server.port);
    await using opened = await openStore({ urls: [proxy.url], namespace: "large", protocol: 2 });
    const { store } = opened;
    await store.append("thread", [userMessage({ id: "first", content: "small" })]);
    proxy.take();
    const sized = (id: string, bytes: number): ReturnType<typeof userMessage> =>
      userMessage({ id, content: "x".repeat(bytes) });
    const batches = [
      [sized("huge", 1_000_001)],
      Array.from({ length: 5 }, (_, index) => sized(`large-${index}`, 900_000)),
      Array.from({ length: 501 }, (_, index) => sized(`small-${index}`, 1)),
    ];
    for (const batch of batches) {
      expect((await historyErrorOf(store.append("thread", batch))).code).toBe("TOO_LARGE");
    }
    expect(proxy.take()).toEqual([]);
    expect((await store.read("thread")).version).toBe(1);
  });
});
