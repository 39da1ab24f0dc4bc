import { summary, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startCuttingProxy } from "../../test-support/proxies/start-cutting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

type Step = readonly [name: string, run: (store: HistoryStore) => Promise<unknown>];

const SUMMARY = summary({
  id: "sum",
  createdAtMs: 1,
  strategy: "test",
  trust: "user",
  content: "Before.",
});

const LATER = userMessage({ id: "u", createdAtMs: 2, content: "Later." });

/** A row of writes in which each verb stands, and each builds on those before. */
const STEPS: readonly Step[] = [
  ["append to a new thread", (store) => store.append("t", batchOf("w", 0, 5))],
  ["append", (store) => store.append("t", batchOf("w", 1, 3))],
  ["append at a version", (store) => store.append("t", batchOf("w", 2, 2), { expectedVersion: 8 })],
  [
    "commitCompaction",
    (store) =>
      store.commitCompaction("t", {
        view: "conversation",
        summary: SUMMARY,
        covers: [{ from: "w.0.0.5", to: "w.1.0.3" }],
        expectedEpoch: 0,
      }),
  ],
  ["setState, first", (store) => store.setState("t", "plan", { step: 1 }, { expectedRevision: 0 })],
  ["setState", (store) => store.setState("t", "plan", { step: 2 }, { expectedRevision: 1 })],
  ["fork", (store) => store.fork("t", { at: "w.1.2.3", as: "b" })],
  ["append to a fork", (store) => store.append("t/b", [LATER])],
  ["expand", (store) => store.expand("t", "sum")],
  ["delete of a fork", (store) => store.delete("t/b")],
  ["delete", (store) => store.delete("t")],
];

await describeWithRedis("redisStore, where an answer is lost", () => {
  it.for(["before", "after"] as const)(
    "does each write once, and says of it what a store in memory says: connection cut %s it",
    async (moment) => {
      await using server = await startRedisServer();
      await using proxy = await startCuttingProxy(server.port);
      const address = { urls: [proxy.url], namespace: "answers" };
      await using opened = await openStore(address);
      const reference = memoryStore();
      await opened.store.append("warm", batchOf("w", 0, 1));
      for (const [name, run] of STEPS) {
        const before = proxy.cuts[moment];
        proxy.cut(moment, "EVAL");
        const [answer, expected] = [await run(opened.store), await run(reference)];
        expect({ name, cuts: proxy.cuts[moment] - before }).toEqual({ name, cuts: 1 });
        expect({ name, answer: withoutDuplicate(answer) }).toEqual({
          name,
          answer: withoutDuplicate(expected),
        });
        expect(await contentsOf(opened.store)).toEqual(await contentsOf(reference));
      }
    },
  );
});

/** A retry finds its own first try, and says so. */
function withoutDuplicate(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("duplicate" in answer)) return answer;
  const { duplicate: _, ...others } = answer;
  return others;
}

async function contentsOf(store: HistoryStore): Promise<unknown> {
  const threads = ["t", "t/b"].map(async (thread) => {
    const view = { clauses: [{}], view: "conversation" } as const;
    const found = await Promise.allSettled([
      store.read(thread, { originals: true }),
      store.read(thread, { query: view }),
      store.getState(thread, "plan"),
      store.verify(thread),
    ]);
    return found.map((result) =>
      result.status === "fulfilled" ? result.value : { code: Reflect.get(result.reason, "code") },
    );
  });
  const { threadIds } = await store.list();
  return [threadIds.filter((id) => id !== "warm").toSorted(), await Promise.all(threads)];
}
