import { userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { keysOf } from "../../test-support/keys-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { redisStoreOn } from "../../test-support/open-store.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore's memory", () => {
  it("is 5 keys and 2 kB beside its JSON for a thread of two messages, and 250 bytes an entry for one of twenty", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    const store = redisStoreOn(admin.client, { namespace: "memory" });
    const sizes = new Map<number, { keys: number; bytes: number; json: number }>();
    for (const length of [2, 20]) {
      for (let entry = 0; entry < length; entry += 1)
        await store.append(`of-${length}`, [userMessage({ content: "x".repeat(200) })]);
      const json = await jsonOf(store, `of-${length}`);
      const keys = await keysOf(admin, `*{memory:of-${length}}*`);
      let bytes = 0;
      for (const key of keys)
        bytes += Number(await admin.send(["MEMORY", "USAGE", key, "SAMPLES", "0"]));
      sizes.set(length, { keys: keys.length, bytes, json });
    }
    admin.destroy();
    const [two, twenty] = [sizes.get(2), sizes.get(20)];
    expect(two?.keys).toBeLessThanOrEqual(5);
    expect((two?.bytes ?? Infinity) - (two?.json ?? 0)).toBeLessThanOrEqual(2048);
    expect(((twenty?.bytes ?? Infinity) - (twenty?.json ?? 0)) / 20).toBeLessThanOrEqual(250);
  });

  it("is 250 bytes an entry beside its JSON for a thread of thousands", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    const store = redisStoreOn(admin.client, { namespace: "memory" });
    const length = 3000;
    for (let entry = 0; entry < length; entry += 1)
      await store.append("long", [userMessage({ content: "x".repeat(200) })]);
    const json = await jsonOf(store, "long");
    const sizes = new Map<string, number>();
    for (const key of await keysOf(admin, "*{memory:long}*")) {
      sizes.set(key, Number(await admin.send(["MEMORY", "USAGE", key, "SAMPLES", "0"])));
    }
    admin.destroy();
    const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0);
    expect((bytes - json) / length).toBeLessThanOrEqual(250);
  });
});

/** The bytes of the entries as they are stored: with the turn that each was given. */
async function jsonOf(store: HistoryStore, threadId: string): Promise<number> {
  const { entries } = await store.read(threadId);
  return entries.reduce((sum, entry) => sum + JSON.stringify({ v: 1, ...entry }).length, 0);
}
