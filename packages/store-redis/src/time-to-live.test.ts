import { userMessage } from "@agent-history/core";
import { createClient } from "redis";
import { expect, it, onTestFinished } from "vitest";

import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "./redis-store.ts";

it("keeps a thread for its time to live on a server whose numbers have 32 bits when written as integers", async () => {
  const server = await startJsRedisServer();
  const client = createClient({ url: server.url });
  await client.connect();
  onTestFinished(async () => {
    client.destroy();
    await server.stop();
  });
  const ttlMs = 3_600_000;
  const store = redisStore({ client, namespace: "ttl", ttlMs });
  await store.setMetadata("t", { title: "Planets" });
  for (const id of ["a", "b"])
    await store.append("t", [userMessage({ id, createdAtMs: 1, content: "Hello" })]);

  const { version, entries } = await store.read("t");
  expect([version, entries.map(({ id }) => id)]).toEqual([2, ["a", "b"]]);
  expect(await store.getMetadata("t")).toMatchObject({ title: "Planets" });
  const keys = await client.keys("*{ttl:t}*");
  const left = await Promise.all(keys.map(async (key) => client.pTTL(key)));
  expect(left.length).toBeGreaterThan(1);
  expect(Math.min(...left)).toBeGreaterThan(0);
  expect(Math.max(...left)).toBeLessThanOrEqual(ttlMs);
});
