import { isHistoryError, summary, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { batchOf } from "../../../store-redis/test-support/oracle/batch-of.ts";
import { startCuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { addressOf, openStore } from "../../test-support/open-store.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";

interface Step {
  readonly name: string;
  /** Stands in the statement. */
  readonly text: string;
  readonly run: (store: HistoryStore) => Promise<unknown>;
  /** What a retry says where the first try was carried out: the verb's own answer, or a code. */
  readonly onceDone?: string;
}

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
  {
    name: "append",
    text: ".commit_thread(",
    run: (store) => store.append("t", batchOf("w", 0, 5)),
  },
  {
    name: "append at a version",
    text: ".commit_thread(",
    run: (store) => store.append("t", batchOf("w", 1, 5), { expectedVersion: 5 }),
  },
  {
    name: "commitCompaction",
    text: ".commit_thread(",
    run: (store) =>
      store.commitCompaction("t", {
        view: "conversation",
        summary: SUMMARY,
        covers: [{ from: "w.0.0.5", to: "w.1.0.5" }],
        expectedViewRevision: 0,
      }),
  },
  {
    name: "setState",
    text: ".commit_thread(",
    run: (store) => store.setState("t", "plan", { step: 1 }, { expectedRevision: 0 }),
    onceDone: "VERSION_CONFLICT",
  },
  {
    name: "fork",
    text: ".commit_thread(",
    run: (store) => store.fork("t", { at: "w.1.2.5", as: "b" }),
  },
  {
    name: "append to a fork",
    text: ".commit_thread(",
    run: (store) => store.append("t/b", [LATER]),
  },
  {
    name: "replaceSuffix",
    text: ".commit_thread(",
    run: (store) => replace(store, "w.1.1.5", batchOf("x", 0, 3)),
  },
  {
    name: "replaceSuffix by nothing",
    text: ".commit_thread(",
    run: (store) => replace(store, "x.0.1.3", []),
  },
  {
    name: "expand",
    text: ".commit_thread(",
    run: (store) => store.expand("t", "sum"),
    onceDone: "NOT_FOUND",
  },
  { name: "delete", text: ".commit_thread(", run: (store) => store.delete("t/b") },
];

await describeWithPostgres("postgresStore, where a connection is cut", () => {
  describe.each(["before", "after"] as const)("%s the server carries a write out", (moment) => {
    it("says that the outcome is unknown, and the same call again completes it", async () => {
      await using server = await startPostgresServer();
      await using proxy = await startCuttingProxy(server.port);
      const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
      await using opened = await openStore(addressOf(url, { connections: 1 }));
      const reference = memoryStore();
      for (const { name, text, run, onceDone } of STEPS) {
        // Another connection than the one that was cut.
        await opened.store.list();
        const before = proxy.cuts[moment];
        proxy.cut(moment, text);
        const codes = [await answerOf(run(opened.store)), await answerOf(run(opened.store))];
        const expected = await run(reference);
        expect({ name, cuts: proxy.cuts[moment] - before }).toEqual({ name, cuts: 1 });
        const isDone = moment === "after" && onceDone !== undefined;
        expect({ name, codes }).toEqual({
          name,
          codes: ["OUTCOME_UNKNOWN", isDone ? onceDone : comparable(expected)],
        });
        expect(await contentsOf(opened.store)).toEqual(await contentsOf(reference));
      }
    });
  });
});

async function answerOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return comparable(await work);
  } catch (error) {
    return isHistoryError(error) ? error.code : error;
  }
}

/** What a retry, another engine and another moment change. */
const VARYING = new Set(["duplicate", "store", "remains", "atMs"]);

function comparable(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !VARYING.has(name)));
}

async function contentsOf(store: HistoryStore): Promise<unknown> {
  const view = { clauses: [{}], view: "conversation" } as const;
  const threads = ["t", "t/b"].map((thread) =>
    Promise.allSettled([
      store.read(thread, { originals: true }),
      store.read(thread, { query: view }),
      store.getState(thread, "plan"),
      store.verify(thread),
    ]),
  );
  const found = (await Promise.all(threads)).flat();
  const { threads: listed } = await store.list();
  const threadIds = listed.map(({ threadId }) => threadId);
  return [
    threadIds.toSorted(),
    found.map((one) => (one.status === "fulfilled" ? one.value : Reflect.get(one.reason, "code"))),
  ];
}
