import { isHistoryError, summary, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
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

/** Replaces the end of the thread, once for each entry that it begins at. */
function replace(
  store: HistoryStore,
  from: string,
  replacement: readonly HistoryEntry[],
): Promise<unknown> {
  const operationId = `replace ${from}`;
  return store.replaceSuffix("t", { from, expectedVersion: "any", replacement, operationId });
}

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
        expectedViewRevision: 0,
      }),
  ],
  ["setState, first", (store) => store.setState("t", "plan", { step: 1 }, { expectedRevision: 0 })],
  ["setState", (store) => store.setState("t", "plan", { step: 2 }, { expectedRevision: 1 })],
  ["fork", (store) => store.fork("t", { at: "w.1.2.3", as: "b" })],
  ["append to a fork", (store) => store.append("t/b", [LATER])],
  ["replaceSuffix of a short thread", (store) => replace(store, "w.2.1.2", batchOf("x", 0, 30))],
  ["append to a log", (store) => store.append("t", batchOf("w", 3, 5))],
  ["fork of a log", (store) => store.fork("t", { at: "w.3.3.5", as: "l" })],
  ["replaceSuffix of a log", (store) => replace(store, "x.0.20.30", batchOf("y", 0, 3))],
  ["replaceSuffix by nothing", (store) => replace(store, "y.0.2.3", [])],
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
      await loadScripts(server.url);
      for (const [index, [name, run]] of STEPS.entries()) {
        await using opened = await openStore({ urls: [proxy.url], namespace: `at-${index}` });
        const reference = memoryStore();
        for (const [, earlier] of STEPS.slice(0, index)) {
          await earlier(opened.store);
          await earlier(reference);
        }
        const before = proxy.cuts[moment];
        proxy.cut(moment, "EVAL");
        const [answer, expected] = [await answerOf(run(opened.store)), await run(reference)];
        expect({ name, cuts: proxy.cuts[moment] - before }).toEqual({ name, cuts: 1 });
        // A summary that is gone may have been taken back by this call or by another: nobody can tell.
        const isUnknown = name === "expand" && moment === "after";
        expect({ name, answer: withoutDuplicate(answer) }).toEqual({
          name,
          answer: isUnknown ? "OUTCOME_UNKNOWN" : withoutDuplicate(expected),
        });
        expect(await contentsOf(opened.store)).toEqual(await contentsOf(reference));
      }
    },
  );
});

/** Runs every script once elsewhere: what is cut off is then an answer to the write itself, not to the question for its script. */
async function loadScripts(url: string): Promise<void> {
  await using elsewhere = await openStore({ urls: [url], namespace: "elsewhere" });
  for (const [, run] of STEPS) await run(elsewhere.store);
}

function answerOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => (isHistoryError(error) ? error.code : error));
}

/** A retry finds its own first try, and says so. */
function withoutDuplicate(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("duplicate" in answer)) return answer;
  const { duplicate: _, ...others } = answer;
  return others;
}

async function contentsOf(store: HistoryStore): Promise<unknown> {
  const threads = ["t", "t/b", "t/l"].map(async (thread) => {
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
  const { threads: listed } = await store.list();
  return [listed.map(({ threadId }) => threadId).toSorted(), await Promise.all(threads)];
}
