import { createClient } from "redis";
import { expect, it, onTestFinished } from "vitest";

import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "./redis-store.ts";

const IDS = Array.from({ length: 9 }, (_, nth) => `t${nth}`);

it.each([1, 2, 3, 8, 9])("pages through threads of one moment, %i at a time", async (limit) => {
  const server = await startJsRedisServer();
  const client = await createClient({ url: server.url }).connect();
  onTestFinished(async () => {
    client.destroy();
    await server.stop();
  });
  const store = redisStore({ client, namespace: "n" });
  for (const threadId of IDS) {
    await store.setMetadata(threadId, { user: "ada" });
    const key = `ah:{n:${threadId}}:m`;
    await client.sendCommand(["HSET", key, "u", "1700000000000"]);
    // What the index is given once more.
    await store.setMetadata(threadId, { title: threadId });
  }
  for (const options of [{ user: "ada" }, { newestFirst: true }]) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ ...options, limit, ...(cursor !== undefined && { cursor }) });
      for (const { threadId } of page.threads) found.push(threadId);
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(IDS);
  }
});
