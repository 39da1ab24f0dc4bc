import type { HistoryQuery, HistoryStore } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import { orchestratorHistoryFilter, workerHistoryFilter } from "@agent-history/filters";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { longThread } from "../../test-support/long-thread.ts";
import { openStore } from "../../test-support/open-store.ts";
import { startCountingProxy } from "../../test-support/proxies/start-counting-proxy.ts";
import type { Exchange } from "../../test-support/proxies/start-counting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("redisStore's work", () => {
  it("is a few commands, and as many bytes, whatever the length of the thread", async () => {
    await using server = await startRedisServer({ inMemory: true });
    await using line = await startCountingProxy(server.port);
    const work = new Map<string, { commands: number; bytes: number }[]>();
    for (const turns of [20, 200]) {
      const address = { urls: [line.url], namespace: `of-${turns}`, protocol: 2 } as const;
      await using writer = await openStore(address);
      const log = longThread(turns);
      for (let start = 0; start < log.length; start += 460)
        await writer.store.append("t", log.slice(start, start + 460));
      for (const [name, run] of verbsAt(log[300]?.id ?? "")) {
        // A fresh process, which has only asked what kind of server it has.
        await using fresh = await openStore(address);
        await fresh.store.getMetadata("none");
        line.take();
        await run(fresh.store);
        work.set(name, [...(work.get(name) ?? []), workOf(line.take())]);
      }
    }
    for (const [name, [short, long]] of work) {
      const most = MOST_COMMANDS[name] ?? 0;
      expect({ name, isFew: (long?.commands ?? Infinity) <= most, long }).toMatchObject({
        isFew: true,
      });
      // Ten times as long: what is read may depend on where turns are forgotten, never on the length.
      const isFlat = (long?.bytes ?? Infinity) <= 2 * (short?.bytes ?? 0);
      expect({ name, isFlat, short, long }).toMatchObject({ isFlat: true });
    }
  });

  it("is six commands for a first append, then one; 50 threads of a list are one round trip", async () => {
    await using server = await startRedisServer({ inMemory: true });
    await using line = await startCountingProxy(server.port);
    await using opened = await openStore({ urls: [line.url], namespace: "list", protocol: 2 });
    const { store } = opened;
    const message = (id: string) => userMessage({ id, content: "Hello", createdAtMs: 1 });
    await store.append("warm", [message("a")]);
    line.take();
    for (let nth = 0; nth < 50; nth += 1) await store.append(`t${nth}`, [message("a")]);
    // Each looks for its thread and a tombstone of its name (once more behind the write), writes the index, commits, and notes what the index knows.
    expect(workOf(line.take()).commands).toBeLessThanOrEqual(300);
    for (let nth = 0; nth < 50; nth += 1) await store.append(`t${nth}`, [message("b")]);
    expect(workOf(line.take()).commands).toBe(50);
    await store.list({ limit: 50 });
    const listed = line.take();
    expect(listed.length).toBeLessThanOrEqual(52);
    expect(Math.max(...listed.map(({ roundTrip }) => roundTrip))).toBeLessThanOrEqual(2);
  });
});

const MOST_COMMANDS: Readonly<Record<string, number>> = {
  append: 2,
  "batch of 20": 2,
  tail: 1,
  "page far back": 2,
  worker: 2,
  orchestrator: 2,
  "one entry by its id": 1,
  state: 1,
};

function verbsAt(
  id: string,
): readonly (readonly [string, (store: HistoryStore) => Promise<unknown>])[] {
  const read = (query: HistoryQuery) => (store: HistoryStore) => store.read("t", { query });
  const batch = (count: number) =>
    Array.from({ length: count }, (_, nth) =>
      userMessage({ id: `new-${count}-${nth}`, content: "Hello", createdAtMs: 1 }),
    );
  return [
    ["tail", read({ clauses: [{}], maxEntries: 50 })],
    ["page far back", read({ clauses: [{}], maxEntries: 50, before: id })],
    ["worker", read(workerHistoryFilter().query({ agentId: "worker-answer" }))],
    ["orchestrator", read(orchestratorHistoryFilter().query({ agentId: "orchestrator" }))],
    ["one entry by its id", read({ clauses: [{ ids: [id] }] })],
    ["state", (store) => store.getState("t", "plan")],
    ["append", (store) => store.append("t", batch(1))],
    ["batch of 20", (store) => store.append("t", batch(20))],
  ];
}

/** Commands, and bytes both ways. */
function workOf(exchanges: readonly Exchange[]): { commands: number; bytes: number } {
  const bytes = exchanges.map(({ command, answer }) => JSON.stringify([command, answer]).length);
  return { commands: exchanges.length, bytes: bytes.reduce((sum, one) => sum + one, 0) };
}
