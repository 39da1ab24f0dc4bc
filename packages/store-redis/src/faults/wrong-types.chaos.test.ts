import { isHistoryError, summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { contentsOf, keysOf } from "../../test-support/contents-of.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const THREAD = "*{*:thread}*";

const COMPACTION = {
  view: "conversation",
  summary: summary({ id: "sum", strategy: "test", trust: "user", content: "Before." }),
  covers: [{ from: "w.0.0.5", to: "w.0.0.5" }],
} as const;

await describeWithRedis("redisStore on keys that somebody else changed", () => {
  it("writes nothing where a key of the thread is of another type", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "types" };
    await using opened = await openStore(address);
    const admin = await openClient(address);
    await opened.store.append("thread", batchOf("w", 0, 5));
    await opened.store.setState("thread", "plan", 1, { expectedRevision: 0 });
    await opened.store.commitCompaction("thread", { ...COMPACTION, expectedViewRevision: 0 });
    const keys = await keysOf(admin, THREAD);
    expect(keys.length).toBeGreaterThanOrEqual(8);
    for (const key of keys) {
      await admin.send(["RENAME", key, "kept-aside"]);
      await admin.send(["SET", key, "not what it was"]);
      const before = await contentsOf(admin, THREAD);
      await using other = await openStore(address);
      // One handle knows the thread, the other has to look.
      for (const { store } of [opened, other]) {
        const outcome = await outcomeOf(writeTo(store, key));
        expect({ key, outcome }).toEqual({ key, outcome: "THREAD_CORRUPT" });
        expect(await contentsOf(admin, THREAD)).toEqual(before);
      }
      await admin.send(["DEL", key]);
      await admin.send(["RENAME", "kept-aside", key]);
    }
    expect(await opened.store.verify("thread")).toEqual([]);
    admin.destroy();
  });

  it("writes nothing where a key of the thread is gone", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "types" };
    await using opened = await openStore(address);
    const admin = await openClient(address);
    await opened.store.append("thread", batchOf("w", 0, 5));
    const keys = await keysOf(admin, THREAD);
    for (const kind of ["m", "l", "i"]) {
      const key = keys.find((name) => name.endsWith(`:${kind}`)) ?? "";
      await admin.send(["RENAME", key, "kept-aside"]);
      await using other = await openStore(address);
      const before = await contentsOf(admin, THREAD);
      const error = await historyErrorOf(other.store.append("thread", batchOf("w", 1, 5)));
      expect({ key, code: error.code }).toEqual({ key, code: "THREAD_CORRUPT" });
      expect(await contentsOf(admin, THREAD)).toEqual(before);
      await admin.send(["RENAME", "kept-aside", key]);
    }
    admin.destroy();
  });

  it("says that rows of the index are gone, instead of showing an empty view", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "types" };
    await using opened = await openStore(address);
    const admin = await openClient(address);
    await opened.store.append("thread", batchOf("w", 0, 5));
    await opened.store.fork("thread", { at: "w.0.3.5", as: "fork" });
    const query = { clauses: [{ types: ["user_message" as const] }] };
    for (const thread of ["thread", "thread/fork"]) {
      expect((await opened.store.read(thread, { query })).entries).toHaveLength(1);
      const mark = thread === "thread" ? "}:r:" : "}/fork:r:";
      const streams = (await keysOf(admin, THREAD)).filter((key) => key.includes(mark));
      await admin.send(["UNLINK", ...streams]);
      const { entries, problems } = await opened.store.read(thread, { query });
      expect({ thread, shown: entries.length }).toEqual({ thread, shown: 1 });
      expect(problems).toMatchObject([{ kind: "broken" }]);
      expect((await opened.store.verify(thread)).length).toBeGreaterThan(0);
    }
    const agent = { clauses: [{ agent: "nobody" }] };
    expect((await opened.store.read("thread", { query: agent })).entries).toEqual([]);
    admin.destroy();
  });

  it("tells where an entry is not what was written, and shows the rest", async () => {
    await using server = await startRedisServer();
    const address = { urls: [server.url], namespace: "types" };
    await using opened = await openStore(address);
    const admin = await openClient(address);
    await opened.store.append("thread", batchOf("w", 0, 5));
    const log = (await keysOf(admin, THREAD)).find((key) => key.endsWith(":l")) ?? "";
    const rows = await admin.send(["XRANGE", log, "-", "+"]);
    await admin.send(["DEL", log]);
    for (const row of Array.isArray(rows) ? rows : []) {
      const [id, fields]: [string, string[]] = row;
      const [name, text = ""] = fields;
      const lines = text.split("\n");
      // One letter of a text: it still is JSON, and an entry.
      const changed = lines.with(2, (lines[2] ?? "").replace('"content":"w', '"content":"v'));
      expect(changed).not.toEqual(lines);
      await admin.send(["XADD", log, id, String(name), changed.join("\n")]);
    }
    await using other = await openStore(address);
    const { entries, problems } = await other.store.read("thread", { originals: true });
    expect(entries).toHaveLength(4);
    expect(problems).toMatchObject([{ position: 2, kind: "broken" }]);
    expect(await other.store.verify("thread")).toMatchObject([{ position: 2, kind: "broken" }]);
    admin.destroy();
  });
});

/** Writes what touches this key. */
function writeTo(store: HistoryStore, key: string): Promise<unknown> {
  if (key.endsWith(":s")) return store.setState("thread", "plan", 2, { expectedRevision: 1 });
  if (/:[cw]$/u.test(key)) return store.expand("thread", COMPACTION.summary.id);
  return store.append("thread", [...batchOf("w", 1, 5), ...batchOf("x", 1, 4)]);
}

/** The code that an append ends in, or that it was taken. */
function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "taken",
    (error: unknown) => (isHistoryError(error) ? error.code : String(error)),
  );
}
