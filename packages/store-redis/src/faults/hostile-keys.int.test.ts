import { inspect } from "node:util";

import { isHistoryError, summary, task } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { keysOf } from "../../test-support/keys-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import type { OpenClient } from "../../test-support/open-client.ts";
import { redisStoreOn } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const SECRET = "SECRET-4711";

/** What stands in a field, a row or a member instead. */
const VALUES = ["", "-1", "1", "7", "1.5", "1e12", "9007199254740993", "null", "[]", "{}"].concat([
  `${SECRET} {`,
  `{"${SECRET}":`,
  `c${SECRET}`,
  'c[1]\n{"v":1}',
  '[["",99]]',
  "~zz~",
]);

const QUERIES = [
  undefined,
  { clauses: [{}] },
  { clauses: [{}], maxEntries: 2 },
  { clauses: [{}], view: "thread" },
  { clauses: [{ agent: "w" }], view: "agent:w" },
  { clauses: [{ types: ["user_message"] }], view: "conversation" },
  { clauses: [{ types: ["task"] }, { ids: ["w.0.1.5", "k"] }] },
] as const;

const WRITES: readonly ((store: HistoryStore, thread: string) => Promise<unknown>)[] = [
  (store, thread) => store.append(thread, batchOf("w", 0, 5)),
  (store, thread) => store.append(thread, batchOf("w", 1, 2)),
  (store, thread) => store.setState(thread, "key", 2, { expectedRevision: 1 }),
  (store, thread) => store.fork(thread, { at: "w.0.1.5", as: "other" }),
  (store, thread) => store.expand(thread, "sum"),
  (store, thread) => store.delete(thread),
];

await describeWithRedis("redisStore on any bytes in its keys", () => {
  it("ends each verb in a result or a typed error that quotes nothing, and hides no loss", async () => {
    await using server = await startRedisServer({ inMemory: true });
    const admin = await openClient({ urls: [server.url], protocol: 2 });
    const change = fc.record({
      key: fc.nat({ max: 40 }),
      part: fc.nat({ max: 20 }),
      value: fc.option(fc.constantFrom(...VALUES), { nil: undefined }),
    });
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const namespace = `place-${(nth += 1)}`;
        // What would go on for ever ends with the deadline, as what cannot be sent does.
        const open = () => redisStoreOn(admin.client, { namespace, timeoutMs: 4_000 });
        const known = open();
        await writeBase(known);
        const sound = await shownBy(known);
        const keys = await keysOf(admin, `*{${namespace}:t}*`);
        for (const { key, part, value } of changes)
          await damage(admin, keys[key % keys.length] ?? "", part, value);
        for (const store of [known, open()]) {
          const shown = await shownBy(store);
          const isReported = shown.reported || (await verified(store)) !== "sound";
          if (!isReported) expect(shown.entries).toEqual(sound.entries);
        }
        for (const thread of ["t", "t/f"])
          for (const write of WRITES) expectTyped(await errorOf(write(open(), thread)));
      }),
      { numRuns: lawRuns(25) },
    );
    admin.destroy();
  });

  it("writes nothing where a key of the thread is of another type, or its rows are gone", async () => {
    await using server = await startRedisServer({ inMemory: true });
    const admin = await openClient({ urls: [server.url] });
    const open = () => redisStoreOn(admin.client, { namespace: "types" });
    const opened = open();
    await writeBase(opened);
    for (const key of await keysOf(admin, "*{types:t}*"))
      for (const isGone of key.endsWith(":r") ? [false, true] : [false]) {
        await admin.send(["RENAME", key, "kept-aside"]);
        if (!isGone) await admin.send(["SET", key, "not what it was"]);
        const before = await dumpOf(admin, "*{types:t}*");
        // One handle knows the thread, the other has to look.
        for (const store of [opened, open()]) {
          const error = await errorOf(store.append("t", batchOf("w", 1, 2)));
          expect({ key, code: isHistoryError(error) && error.code }).toEqual({
            key,
            code: "THREAD_CORRUPT",
          });
          expect(await dumpOf(admin, "*{types:t}*")).toEqual(before);
        }
        await admin.send(["DEL", key]);
        await admin.send(["RENAME", "kept-aside", key]);
      }
    expect(await opened.verify("t")).toEqual([]);
    admin.destroy();
  });
});

async function writeBase(store: HistoryStore): Promise<void> {
  const agent = { id: "w", role: "worker" } as const;
  await store.append("t", batchOf("w", 0, 5));
  await store.append("t", [task({ id: "k", createdAtMs: 1, content: "Go.", agent })], {
    tokens: new Map([["counter", [3]]]),
  });
  await store.commitCompaction("t", {
    view: "thread",
    summary: summary({ id: "sum", createdAtMs: 1, strategy: "s", trust: "user", content: "A." }),
    covers: [{ from: "w.0.0.5", to: "w.0.0.5" }],
    expectedViewRevision: 0,
  });
  await store.fork("t", { at: "w.0.1.5", as: "f" });
  await store.setState("t", "key", 1, { expectedRevision: 0 });
}

/** Puts a value into a part of a key, or into its place; `undefined` takes the part, or the key, away. */
async function damage(
  { send }: OpenClient,
  key: string,
  part: number,
  value: string | undefined,
): Promise<void> {
  const type = await send(["TYPE", key]);
  const gone = async (): Promise<unknown> =>
    value === undefined ? send(["DEL", key]) : send(["SET", key, value]);
  if (part % 4 === 0 || type === "string" || type === "none") return void (await gone());
  if (type === "hash") {
    const fields = listOf(await send(["HKEYS", key]));
    const field = fields[part % fields.length] ?? "";
    await (value === undefined ? send(["HDEL", key, field]) : send(["HSET", key, field, value]));
  } else if (type === "list") {
    const length = Number(await send(["LLEN", key]));
    await (value === undefined
      ? send(["RPOP", key])
      : send(["LSET", key, String(part % length), value]));
  } else {
    const members = listOf(await send(["ZRANGE", key, "0", "-1"]));
    const member = members[part % members.length] ?? "";
    await send(["ZREM", key, member]);
    if (value !== undefined) await send(["ZADD", key, String(part), value]);
  }
}

function listOf(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** What reads show, and whether one of them reports that something is wrong. */
async function shownBy(
  store: HistoryStore,
): Promise<{ readonly entries: readonly unknown[]; readonly reported: boolean }> {
  const entries: unknown[] = [];
  let reported = false;
  for (const query of QUERIES)
    for (const originals of [false, true]) {
      const options = { originals, ...(query !== undefined && { query }) };
      const read = await store.read("t", options).catch((error: unknown) => error);
      if (read instanceof Error) {
        expectTyped(read);
        reported = true;
      } else {
        const { entries: shown, problems } = read as Awaited<ReturnType<HistoryStore["read"]>>;
        entries.push(shown);
        reported ||= problems.length > 0;
      }
    }
  return { entries, reported };
}

async function verified(store: HistoryStore): Promise<string> {
  const problems = await store.verify("t").catch((error: unknown) => {
    expectTyped(error);
    return [error];
  });
  return problems.length === 0 ? "sound" : "broken";
}

function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function expectTyped(error: unknown): void {
  if (error === undefined) return;
  if (!isHistoryError(error)) throw new Error(`No HistoryError: ${inspect(error)}`);
  expect(["OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"]).not.toContain(error.code);
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(SECRET);
}

async function dumpOf(admin: OpenClient, pattern: string): Promise<readonly unknown[]> {
  const keys = await keysOf(admin, pattern);
  const dumps: unknown[] = [];
  for (const key of keys) dumps.push([key, String(await admin.send(["DUMP", key]))]);
  return dumps;
}
