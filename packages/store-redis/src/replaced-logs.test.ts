import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { createClient } from "redis";
import { expect, it } from "vitest";

import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "./redis-store.ts";

const message = (id: string): HistoryEntry => userMessage({ id, content: id, createdAtMs: 1 });

it("keeps no log that was replaced longer than somebody needs it", async () => {
  await using server = await startJsRedisServer();
  const client = await createClient({ url: server.url }).connect();
  using closing = new DisposableStack();
  closing.defer(() => client.destroy());
  const store = redisStore({ client, namespace: "logs" });
  const logs = async () => (await client.keys("ah:{logs:t}*:l")).length;
  const replace = async (from: string, id: string) =>
    store.replaceSuffix("t", {
      from,
      expectedVersion: "any",
      replacement: [message(id)],
      operationId: `${from} ${id}`,
    });
  const many = Array.from({ length: 40 }, (_, nth) => message(`m${nth}`));
  await store.append("t", [message("a"), message("b"), ...many, message("z")]);
  await store.fork("t", { at: "b", as: "f" });
  await replace("z", "c");
  await replace("c", "d");
  expect(await logs()).toBe(2);
  await store.append("t", [message("h"), message("i")]);
  await replace("i", "k");
  expect(await logs()).toBe(3);
  // The fork still needs the first log; of those after it nobody needs any.
  await replace("a", "e");
  expect(await logs()).toBe(2);
  expect((await store.read("t/f")).entries.map(({ id }) => id)).toEqual(["a", "b"]);
  await store.delete("t/f");
  await replace("e", "g");
  expect(await logs()).toBe(1);
  await store.delete("t");
  const left = await client.keys("ah:{logs:t}*");
  expect(left.map((key) => key.slice(key.indexOf("}") + 1)).toSorted()).toEqual([
    "/f:m",
    ":m",
    ":tree",
  ]);
});

it.each([31, 100])(
  "moves a short thread to a log with the index that its log says, after a replacement by %i entries",
  async (length) => {
    await using server = await startJsRedisServer();
    const client = await createClient({ url: server.url }).connect();
    using closing = new DisposableStack();
    closing.defer(() => client.destroy());
    const store = redisStore({ client, namespace: "logs" });
    await store.append("t", [message("a"), message("b"), message("c")]);
    const replacement = Array.from({ length }, (_, nth) => message(`m${nth}`));
    await store.replaceSuffix("t", {
      from: "c",
      expectedVersion: "any",
      replacement,
      operationId: "o",
    });
    await store.append("t", [message("z")]);
    expect(await client.exists("ah:{logs:t}:l")).toBe(1);
    expect(await store.verify("t")).toEqual([]);
  },
);
