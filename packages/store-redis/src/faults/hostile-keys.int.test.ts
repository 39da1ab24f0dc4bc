import { inspect } from "node:util";

import { isHistoryError, summary, task } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { keysOf } from "../../test-support/contents-of.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openClient } from "../../test-support/open-client.ts";
import type { OpenClient } from "../../test-support/open-client.ts";
import { redisStoreOn } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const SECRET = "SECRET-4711";

/** What stands in a field instead: numbers that lead astray, what is no JSON, JSON of another shape. */
const VALUES = [
  "",
  "-1",
  "1",
  "7",
  "1.5",
  "1000000000000",
  "9007199254740993",
  `${SECRET} {`,
  `{"${SECRET}":`,
  `"${SECRET}`,
  "{}",
  "[]",
  "null",
  '[["",99]]',
  '[["",1000000000000]]',
  '[["",2],["",1]]',
  '{"version":1000000000000}',
  '{"format":1,"version":6,"turns":null}',
  '{"format":1,"count":2,"version":6,"runs":[[0,1000000000000]],"shown":[{}]}',
  "~~~~~~",
  "zzzzzzzzzzzzzzzzzzzz",
];

const VERBS: readonly ((store: HistoryStore, thread: string) => Promise<unknown>)[] = [
  (store, thread) => store.read(thread),
  (store, thread) => store.read(thread, { originals: true }),
  (store, thread) => store.read(thread, { query: { clauses: [{}], maxEntries: 2 } }),
  (store, thread) => store.read(thread, { query: { clauses: [{}], view: "thread", maxTokens: 9 } }),
  (store, thread) => store.read(thread, { query: { clauses: [{ agent: "w" }], view: "agent:w" } }),
  (store, thread) => store.read(thread, { query: { clauses: [{ types: ["user_message"] }] } }),
  (store, thread) => store.verify(thread),
  (store, thread) => store.getState(thread, "key"),
  (store, thread) => store.fork(thread, { at: "w.0.1.5", as: "other" }),
  (store, thread) => store.append(thread, batchOf("w", 0, 5)),
  (store, thread) => store.append(thread, batchOf("w", 1, 2)),
  (store, thread) => store.setState(thread, "key", 2, { expectedRevision: 1 }),
  (store, thread) => store.expand(thread, "sum"),
  (store) => store.list(),
  (store, thread) => store.delete(thread),
];

await describeWithRedis("redisStore on any bytes in its keys", () => {
  it("ends each verb in a result or a typed error that quotes nothing", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url], protocol: 2 });
    const change = fc.record({
      key: fc.nat({ max: 40 }),
      field: fc.nat({ max: 20 }),
      value: fc.constantFrom(...VALUES),
    });
    let locations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        locations += 1;
        const namespace = `place-${locations}`;
        // A thread of six entries: short, or with a log and an index.
        const shortEntries = locations % 2 === 0 ? 3 : 32;
        await writeBase(redisStoreOn(admin.client, { namespace, shortEntries }));
        const keys = await keysOf(admin, `*{${namespace}:t}*`);
        for (const { key, field, value } of changes) {
          await changeField(admin, { key: keys[key % keys.length] ?? "", field, value });
        }
        // A handle of its own for each thread; what would go on for ever ends with the deadline, as what cannot be sent does.
        for (const thread of ["t", "t/f"]) {
          const store = redisStoreOn(admin.client, { namespace, shortEntries, timeoutMs: 10_000 });
          expect(await failuresOf(store, thread)).toEqual([]);
        }
      }),
      { numRuns: lawRuns(12) },
    );
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

/** Puts a value into a field of a hash, or into a row of a stream. */
async function changeField(
  admin: OpenClient,
  change: { readonly key: string; readonly field: number; readonly value: string },
): Promise<void> {
  const { key, field, value } = change;
  if ((await admin.send(["TYPE", key])) === "hash") {
    const fields = asList(await admin.send(["HKEYS", key]));
    await admin.send(["HSET", key, fields[field % fields.length] ?? "", value]);
    return;
  }
  const rows = await admin.send(["XRANGE", key, "-", "+"]);
  await admin.send(["DEL", key]);
  const all: readonly unknown[] = Array.isArray(rows) ? rows : [];
  for (const [nth, row] of all.entries()) {
    const [id, written]: readonly unknown[] = Array.isArray(row) ? row : [];
    const [name = "", ...rest] = asList(written);
    const fields = nth === field % all.length ? [name, value, ...rest.slice(1)] : [name, ...rest];
    await admin.send(["XADD", key, String(id), ...fields]);
  }
}

function asList(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** What a verb ended in that it must not: errors without a type, those that quote, and those of the deadline. */
async function failuresOf(store: HistoryStore, thread: string): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const verb of VERBS) {
    const error: unknown = await verb(store, thread).then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    if (error === undefined) continue;
    if (!isHistoryError(error)) failures.push(`${String(verb)}: ${inspect(error)}`);
    else if (`${error.message} ${JSON.stringify(error.details)}`.includes(SECRET)) {
      failures.push(`${String(verb)} quotes`);
    } else if (error.code === "OUTCOME_UNKNOWN" || error.code === "STORE_UNAVAILABLE") {
      failures.push(`${String(verb)}: ${error.message}`);
    }
  }
  return failures;
}
