import { isHistoryError, summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startCuttingProxy } from "../../test-support/proxies/start-cutting-proxy.ts";
import type { CuttingProxy } from "../../test-support/proxies/start-cutting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

type Write = readonly [name: string, run: (store: HistoryStore) => Promise<unknown>];

const COMPACTION = {
  view: "conversation",
  summary: summary({ id: "sum", createdAtMs: 1, strategy: "t", trust: "user", content: "Before." }),
  covers: [{ from: "w.0.0.5", to: "w.1.0.3" }],
  expectedViewRevision: 0,
} as const;
const EDIT = { expectedVersion: "any", replacement: batchOf("x", 0, 3), operationId: "o" } as const;

/** A row of writes in which each verb stands, and each builds on those before. */
const WRITES: readonly Write[] = [
  ["append to a new thread", (store) => store.append("t", batchOf("w", 0, 5))],
  ["append", (store) => store.append("t", batchOf("w", 1, 3))],
  ["append at a version", (store) => store.append("t", batchOf("w", 2, 2), { expectedVersion: 8 })],
  ["commitCompaction", (store) => store.commitCompaction("t", COMPACTION)],
  ["setState", (store) => store.setState("t", "plan", { step: 1 }, { expectedRevision: 0 })],
  ["setMetadata", (store) => store.setMetadata("t", { title: "Planets", user: "ada" })],
  ["fork", (store) => store.fork("t", { at: "w.1.2.3", as: "b", operationId: "f" })],
  ["replaceSuffix", (store) => store.replaceSuffix("t", { ...EDIT, from: "w.2.1.2" })],
  ["expand", (store) => store.expand("t", "sum")],
  ["importThread", (store) => store.importThread("i", store.exportThread("t"))],
  ["delete of a fork", (store) => store.delete("t/b")],
  ["delete", (store) => store.delete("t", { includeForks: true })],
];

await describeWithRedis("redisStore, where a request or an answer is lost", () => {
  it("does each write once, says so or that nobody knows, and the same call again finishes it", async () => {
    await using server = await startRedisServer({ inMemory: true });
    await using proxy = await startCuttingProxy(server.port);
    // What is cut off is then an answer to a write, not to the question for its script.
    await using elsewhere = await openStore({ urls: [server.url], namespace: "elsewhere" });
    for (const [, write] of WRITES) await write(elsewhere.store);
    for (const nth of WRITES.keys())
      for (const moment of ["before", "after"] as const)
        for (const timeoutMs of [1, 60_000])
          await expectWrittenOnce(proxy, { nth, moment, timeoutMs });
  });

  it("gives a lock to one of two who write the same value, whichever answer is lost", async () => {
    await using server = await startRedisServer({ inMemory: true });
    await using proxy = await startCuttingProxy(server.port);
    await using unlucky = await openStore({ urls: [proxy.url], namespace: "lock" });
    await using other = await openStore({ urls: [server.url], namespace: "lock" });
    for (const moment of ["before", "after"] as const) {
      const lock = (store: HistoryStore): Promise<unknown> =>
        store.setState(moment, "lock", { held: true }, { expectedRevision: 0 });
      await unlucky.store.getState(moment, "lock");
      proxy.cut(moment, '"held"');
      const answers = await Promise.all(
        [unlucky.store, other.store].map((one) => codeOf(lock(one))),
      );
      // One has it, or the unlucky one does not know; never both.
      expect(answers.filter((code) => code === "done").length).toBeLessThanOrEqual(1);
      expect(await other.store.getState(moment, "lock")).toMatchObject({ revision: 1 });
    }
  });
});

/** Does all writes up to one, and loses the request or the answer of its scripts. */
async function expectWrittenOnce(
  proxy: CuttingProxy,
  { nth, moment, timeoutMs }: { nth: number; moment: "before" | "after"; timeoutMs: number },
): Promise<void> {
  const namespace = `at-${nth}-${moment}-${timeoutMs}`;
  await using patient = await openStore({ urls: [proxy.url], namespace });
  const reference = memoryStore();
  for (const [, earlier] of WRITES.slice(0, nth)) {
    await earlier(patient.store);
    await earlier(reference);
  }
  const [name = "", write] = WRITES[nth] ?? [];
  if (write === undefined) return;
  const before = await shownBy(patient.store);
  await write(reference);
  const after = await shownBy(reference);
  // One of little patience does not try again by itself.
  await using hasty = await openStore({ urls: [proxy.url], namespace, options: { timeoutMs } });
  proxy.cut(moment, "EVAL");
  const code = await codeOf(write(hasty.store));
  const shown = await shownBy(patient.store);
  const where = { name, moment, timeoutMs };
  expect({ ...where, code }).toEqual({ ...where, code: expect.stringMatching(CODES) });
  if (code === "done") expect({ ...where, shown }).toEqual({ ...where, shown: after });
  // A deletion has steps, which the same call finishes.
  if (code === "STORE_UNAVAILABLE" && !AFTERWARDS.has(name))
    expect({ ...where, shown }).toEqual({ ...where, shown: before });
  // What was done finds nothing to expand, and another revision.
  const again = await codeOf(write(patient.store));
  const isOnce = name === "expand" || name === "setState";
  const expected = isOnce ? /^(done|NOT_FOUND|VERSION_CONFLICT)$/u : /^done$/u;
  expect({ ...where, again }).toEqual({ ...where, again: expect.stringMatching(expected) });
  expect({ ...where, shown: await shownBy(patient.store) }).toEqual({ ...where, shown: after });
}

/** What writes the index behind the commit. */
const AFTERWARDS = new Set(["setMetadata", "delete of a fork", "delete"]);

const CODES = /^(done|OUTCOME_UNKNOWN|STORE_UNAVAILABLE)$/u;

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "done",
    (error: unknown) => {
      if (isHistoryError(error)) return error.code;
      throw error;
    },
  );
}

/** All that reads show, without the times of a clock. */
async function shownBy(store: HistoryStore): Promise<unknown> {
  const shown: unknown[] = [];
  for (const thread of ["t", "t/b", "i"]) {
    const view = { clauses: [{}], view: "conversation" } as const;
    const found = await Promise.allSettled([
      store.read(thread, { originals: true }),
      store.read(thread, { query: view }),
      store.getState(thread, "plan"),
      store
        .getMetadata(thread)
        .then((about) => about && [about.title, about.user, about.entryCount]),
      store.verify(thread),
    ]);
    shown.push(
      found.map((one) =>
        one.status === "fulfilled" ? (one.value ?? null) : Reflect.get(one.reason, "code"),
      ),
    );
  }
  const { threads } = await store.list();
  return [threads.map(({ threadId }) => threadId).toSorted(), shown];
}
