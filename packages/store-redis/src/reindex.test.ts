import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  compactAgent,
  shownBy,
  writeThread,
} from "../../store-sqlite/test-support/written-thread.ts";
import { batchOf } from "../test-support/oracle/batch-of.ts";
import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import type { JsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "./redis-store.ts";

type Send = (...command: string[]) => Promise<unknown>;

/** Does something to one of the keys or the fields of an index, by its number. */
type Damage = (send: Send, tag: string, nth: number) => Promise<unknown>;

/** What can be done to an index. */
const DAMAGES: ReadonlyMap<string, Damage> = new Map([
  ["a stream is gone", async (send, tag, nth) => send("DEL", await streamOf(send, tag, nth))],
  [
    "a row of a stream is gone",
    async (send, tag, nth) => {
      const stream = await streamOf(send, tag, nth);
      const row = await rowOf(send, stream, nth);
      return row === "" ? undefined : send("XDEL", stream, row);
    },
  ],
  ["the facts are gone", (send, tag) => send("DEL", `${tag}:f`)],
  [
    "a fact is another",
    async (send, tag, nth) => send("HSET", `${tag}:f`, await fieldOf(send, `${tag}:f`, nth), "[]"),
  ],
  [
    "a fact is nonsense",
    async (send, tag, nth) => send("HSET", `${tag}:f`, await fieldOf(send, `${tag}:f`, nth), "x"),
  ],
  [
    "an id is gone",
    async (send, tag, nth) => send("HDEL", `${tag}:i`, await fieldOf(send, `${tag}:i`, nth)),
  ],
  [
    "an id stands elsewhere",
    async (send, tag, nth) =>
      send("HSET", `${tag}:i`, await fieldOf(send, `${tag}:i`, nth), String(nth)),
  ],
  ["an id is too many", (send, tag) => send("HSET", `${tag}:i`, "stray", "3")],
  ["a state is nonsense", (send, tag) => send("HSET", `${tag}:w`, "s:conversation", "x")],
  ["the states are gone", (send, tag) => send("DEL", `${tag}:w`)],
  [
    "the head is another",
    async (send, tag, nth) => {
      const head = String(await send("HGET", `${tag}:m`, "h"));
      return send("HSET", `${tag}:m`, "h", head.replace(/"taskDoubt":-?\d+/, `"taskDoubt":${nth}`));
    },
  ],
]);

async function streamOf(send: Send, tag: string, nth: number): Promise<string> {
  const streams = listOf(await send("KEYS", `${tag}:r:*`)).toSorted();
  return streams[nth % streams.length] ?? "none";
}

async function rowOf(send: Send, stream: string, nth: number): Promise<string> {
  const rows = await send("XRANGE", stream, "-", "+");
  const ids = Array.isArray(rows) ? rows.map(([id]) => String(id)) : [];
  return ids[nth % ids.length] ?? "";
}

async function fieldOf(send: Send, key: string, nth: number): Promise<string> {
  const fields = listOf(await send("HKEYS", key)).toSorted();
  return fields[nth % fields.length] ?? "none";
}

function listOf(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

describe("reindex", () => {
  let server: JsRedisServer;
  let client: ReturnType<typeof createClient>;
  let runs = 0;

  beforeAll(async () => {
    server = await startJsRedisServer();
    client = createClient({ url: server.url });
    await client.connect();
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  it("repairs whatever is damaged of an index: the thread shows and takes what it did before", async () => {
    const send: Send = (...command) => client.sendCommand(command);
    const damage = fc.tuple(fc.constantFrom(...DAMAGES.keys()), fc.nat({ max: 120 }));
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
        const namespace = `n${(runs += 1)}`;
        const open = () => redisStore({ client, namespace, timeoutMs: 120_000 });
        await writeThread(open());
        await compactAgent(open());
        // A view whose summary is gone again has a state too.
        await open().expand("t", "y");
        const before = await shownBy(open());
        for (const [name, nth] of damages) {
          await DAMAGES.get(name)?.(send, `ah:{${namespace}:t}`, nth);
        }
        // One that remembers nothing of the thread.
        const store = open();
        expect(await store.reindex("t")).toEqual([]);
        expect(await store.verify("t")).toEqual([]);
        expect(await shownBy(store)).toEqual(before);
        await compactAgent(store);
        expect(await store.append("t", batchOf("later", 0, 3))).toMatchObject({ duplicate: false });
        expect(await store.verify("t")).toEqual([]);
        expect(listOf(await send("KEYS", `ah:{${namespace}:t}~*`))).toEqual([]);
      }),
      { numRuns: lawRuns(25) },
    );
  });

  it("repairs the views of a short thread, and lets all of it expire together", async () => {
    const namespace = "short";
    const store = redisStore({ client, namespace, ttlMs: 60_000 });
    await store.append("t", batchOf("w", 0, 5));
    await client.sendCommand([
      "HSET",
      `ah:{${namespace}:t}:w`,
      "s:conversation",
      "x",
      "r:conversation",
      "1",
    ]);
    expect((await store.verify("t")).length).toBe(1);
    expect(await store.reindex("t")).toEqual([]);
    const { viewRevision } = await store.read("t", {
      query: { clauses: [{}], view: "conversation" },
    });
    expect(viewRevision).toBe(1);
    const expiries = new Set<unknown>();
    for (const key of listOf(await client.sendCommand(["KEYS", `ah:{${namespace}:t}*`]))) {
      expiries.add(await client.sendCommand(["PEXPIRETIME", key]));
    }
    expect(expiries.size).toBe(1);
  });
});
