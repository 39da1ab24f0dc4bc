import { assistantMessage, userMessage } from "@agent-history/core";
import { afterAll, expect, it } from "vitest";

import { describeWithRedis } from "../../store-redis/test-support/describe-with-redis.ts";
import { openStore } from "../../store-redis/test-support/open-store.ts";
import {
  roundTrips,
  startCountingProxy,
} from "../../store-redis/test-support/proxies/start-counting-proxy.ts";
import { startRedisServer } from "../../store-redis/test-support/servers/start-redis-server.ts";
import type { RedisServer } from "../../store-redis/test-support/servers/start-redis-server.ts";
import { describeDoubleSends } from "../test-support/describe-double-sends.ts";
import { describeImports } from "../test-support/describe-imports.ts";
import { describeQuotedReads } from "../test-support/describe-quoted-reads.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { openTestStore } from "../test-support/open-test-store.ts";
import type { StoreAddress } from "../test-support/open-test-store.ts";
import { createHistoryManager } from "./create-history-manager.ts";

await describeWithRedis("a manager on Redis", () => {
  let server: Promise<RedisServer> | undefined;
  let locations = 0;
  const newAddress = async (): Promise<StoreAddress> => {
    server ??= startRedisServer();
    const { url } = await server;
    return { kind: "redis", url, namespace: `place-${(locations += 1)}` };
  };
  afterAll(async () => (await server)?.stop());

  it("makes one more prompt in two round trips of twelve commands, however long the thread is", async () => {
    server ??= startRedisServer();
    await using proxy = await startCountingProxy((await server).port);
    for (const turns of [100, 2000]) {
      const address = { urls: [proxy.url], namespace: `counted-${turns}`, protocol: 2 } as const;
      await using opened = await openStore(address);
      const window = { contextTokens: 2000 };
      const options = managerOptions({ store: opened.store, window });
      for (let from = 0; from < turns; from += 100) {
        await opened.store.append(options.threadId, hundredTurns(from));
      }
      const history = createHistoryManager(options);
      const costs: (readonly number[])[] = [];
      for (let turn = 0; turn < 12; turn++) {
        await history.addUserMessage({ content: `And ${turn}?` });
        proxy.take();
        const { counts } = await history.historyForModelCall({ systemMessage: "You answer." });
        const passed = proxy.take();
        if (counts.isContinued) costs.push([roundTrips(passed), passed.length]);
        await history.addAssistantMessage({ content: `It is ${turn}.` });
      }
      expect(costs.length).toBeGreaterThan(8);
      expect(new Set(costs.slice(1).map(String))).toEqual(new Set(["2,12"]));
    }
  });

  describeImports("redisStore", async () => openTestStore(await newAddress()));
  describeDoubleSends("redisStore", newAddress);
  describeQuotedReads("redisStore", async () => openTestStore(await newAddress()));
});

function hundredTurns(from: number) {
  return Array.from({ length: 100 }, (_, nth) => [
    userMessage({ id: `u${from + nth}`, createdAtMs: 1, content: `Question ${from + nth}` }),
    assistantMessage({ id: `a${from + nth}`, createdAtMs: 1, content: `Answer ${from + nth}` }),
  ]).flat();
}
