import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { createClient } from "redis";
import { expect, it } from "vitest";

import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import type { RedisNodeClient } from "./redis-client.ts";
import { redisStore } from "./redis-store.ts";

/** As far from the last checkpoint of the index. */
const LENGTHS = [1280, 1280 + 256 * 4, 1280 + 256 * 30];

const message = (id: number): HistoryEntry =>
  userMessage({ id: `m${id}`, content: `${id}`, createdAtMs: 1 });

it("sends and receives as much to replace the last ten entries, however long the thread is", async () => {
  await using server = await startJsRedisServer();
  const connected = await createClient({ url: server.url }).connect();
  using closing = new DisposableStack();
  closing.defer(() => connected.destroy());
  const cost = { commands: 0, arguments: 0, characters: 0 };
  const inner: RedisNodeClient = connected;
  const client: RedisNodeClient = {
    sendCommand: async (args, options) => {
      const reply = await inner.sendCommand(args, options);
      cost.commands += 1;
      cost.arguments += args.length;
      cost.characters += JSON.stringify(reply).length;
      return reply;
    },
  };
  const store = redisStore({ client, namespace: "cost" });
  const replaceEnd = async (thread: string, length: number) =>
    store.replaceSuffix(thread, {
      from: `m${10_000 + length - 10}`,
      expectedVersion: length,
      replacement: [message(1)],
      operationId: "o",
    });
  // From then on the server knows the script.
  await store.append(
    "first",
    Array.from({ length: 40 }, (_, nth) => message(10_000 + nth)),
  );
  await replaceEnd("first", 40);
  const costs: (typeof cost)[] = [];
  for (const length of LENGTHS) {
    const log = Array.from({ length }, (_, nth) => message(10_000 + nth));
    for (let start = 0; start < length; start += 128) {
      await store.append(`t${length}`, log.slice(start, start + 128));
    }
    Object.assign(cost, { commands: 0, arguments: 0, characters: 0 });
    await replaceEnd(`t${length}`, length);
    costs.push({ ...cost });
    expect(await store.verify(`t${length}`)).toEqual([]);
  }
  const [first = cost] = costs;
  expect(first.commands).toBeLessThan(80);
  for (const { commands, arguments: sent, characters } of costs) {
    expect(commands).toBe(first.commands);
    expect(sent).toBe(first.arguments);
    // The numbers of a longer thread have more digits.
    expect(characters / first.characters).toBeLessThan(1.05);
  }
});
