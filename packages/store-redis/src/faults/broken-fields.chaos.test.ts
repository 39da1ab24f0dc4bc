import { isHistoryError, summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { contentsOf } from "../../test-support/contents-of.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openClient } from "../../test-support/open-client.ts";
import { redisStoreOn } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

/** The keys of threads: not what a fork prepares under names of its own. */
const KEYS = "*{*:thread}[:/]*";

const COMPACTION = {
  view: "conversation",
  summary: summary({ id: "sum", createdAtMs: 1, strategy: "t", trust: "user", content: "Before." }),
  covers: [{ from: "w.0.0.5", to: "w.0.0.5" }],
  expectedViewRevision: 0,
} as const;

const VERBS: readonly (readonly [name: string, call: (store: HistoryStore) => Promise<unknown>])[] =
  [
    ["append", (store) => store.append("thread", batchOf("new", 1, 4))],
    ["commitCompaction", (store) => store.commitCompaction("thread", COMPACTION)],
    ["setState", (store) => store.setState("thread", "key", 2, { expectedRevision: 1 })],
    ["fork", (store) => store.fork("thread", { at: "w.0.1.5", as: "fork" })],
  ];

/** What a field that a script counts with may hold instead of its number. */
const VALUES = ["zz", "-1", "9007199254740993"];

/** By the name of a key. */
const FIELDS = [
  ["tree", "r"],
  ["tree", "x"],
  ["m", "v"],
  ["m", "b"],
  ["m", "k"],
  ["m", "o"],
] as const;

await describeWithRedis("redisStore on a thread with broken fields", () => {
  it("says THREAD_CORRUPT before it writes anything", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    for (const [index, [key, field]] of FIELDS.entries()) {
      for (const value of VALUES) {
        const namespace = `place-${index}-${value}`;
        const open = (): HistoryStore => redisStoreOn(admin.client, { namespace });
        await open().append("thread", batchOf("w", 0, 5));
        await open().setState("thread", "key", 1, { expectedRevision: 0 });
        await admin.send(["HSET", `ah:{${namespace}:thread}:${key}`, field, value]);
        const before = await contentsOf(admin, `*{${namespace}:thread}[:/]*`);
        const what = `${key}.${field} is ${value}`;
        // A fork counts with nothing but the version of its parent.
        const verbs = VERBS.filter(([verb]) => verb !== "fork" || !["b", "k", "o"].includes(field));
        for (const [verb, call] of verbs) {
          const outcome = await outcomeOf(call(open()));
          expect({ what, verb, outcome }).toEqual({ what, verb, outcome: "THREAD_CORRUPT" });
        }
        expect(await contentsOf(admin, `*{${namespace}:thread}[:/]*`)).toEqual(before);
      }
    }
    admin.destroy();
  });

  it("says so of streams that another life left, and writes nothing to them", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    for (const stream of ["l", "r:all", "r:agent%003aworker-new"]) {
      const namespace = `life-${stream.length}`;
      await admin.send(["XADD", `ah:{${namespace}:thread}:${stream}`, "3-0", "d", "{}"]);
      const before = await contentsOf(admin, KEYS);
      const store = redisStoreOn(admin.client, { namespace });
      const outcome = await outcomeOf(store.append("thread", batchOf("new", 0, 4)));
      expect({ stream, outcome }).toEqual({ stream, outcome: "THREAD_CORRUPT" });
      expect(await contentsOf(admin, KEYS)).toEqual(before);
    }
    admin.destroy();
  });
});

function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "taken",
    (error: unknown) => (isHistoryError(error) ? error.code : String(error)),
  );
}
