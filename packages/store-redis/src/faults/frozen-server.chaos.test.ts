import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore on a server that is frozen", () => {
  it("gives up at its deadline, says that the outcome is unknown, and writes once when asked again", async () => {
    await using server = await startRedisServer();
    const options = { timeoutMs: 1000 };
    const address = { urls: [server.url], namespace: "frozen", options };
    await using opened = await openStore(address);
    const { store } = opened;
    await store.append("thread", batchOf("w", 0, 1));
    server.pause();
    const [first, second] = [batchOf("w", 1, 1), batchOf("w", 2, 3)];
    const calls = [
      () => store.append("thread", first),
      () => store.append("other", second),
      () => store.read("thread"),
    ];
    const codes: string[] = [];
    for (const call of calls) codes.push((await historyErrorOf(call())).code);
    expect(codes).toEqual([
      "OUTCOME_UNKNOWN",
      // A new thread is looked at before anything is written.
      "STORE_UNAVAILABLE",
      "STORE_UNAVAILABLE",
    ]);
    server.resume();
    expect((await store.read("other")).version).toBe(0);
    await store.append("thread", first);
    await store.append("other", second);
    const ids = async (thread: string): Promise<string[]> =>
      (await store.read(thread)).entries.map(({ id }) => id);
    expect(await ids("thread")).toEqual([...batchOf("w", 0, 1), ...first].map(({ id }) => id));
    expect(await ids("other")).toEqual(second.map(({ id }) => id));
    expect(await store.verify("thread")).toEqual([]);
  });

  it("gives up at once when the caller does", async () => {
    await using server = await startRedisServer();
    await using opened = await openStore({ urls: [server.url], namespace: "frozen" });
    await opened.store.append("thread", batchOf("w", 0, 2));
    server.pause();
    const caller = new AbortController();
    const batch = batchOf("w", 1, 2);
    const appended = historyErrorOf(
      opened.store.append("thread", batch, { signal: caller.signal }),
    );
    setImmediate(() => caller.abort());
    expect(["OUTCOME_UNKNOWN", "ABORTED"]).toContain((await appended).code);
    server.resume();
    await opened.store.append("thread", batch);
    const { entries } = await opened.store.read("thread");
    expect(entries).toHaveLength(4);
  });
});
