import type { HistoryQuery, HistoryStore } from "@agent-history/core";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { longThread } from "../../test-support/long-thread.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { roundTrips, startCountingProxy } from "../../test-support/proxies/start-counting-proxy.ts";
import type { Exchange } from "../../test-support/proxies/start-counting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

/** Turns of 20 entries: 100, 1,000 and 10,000 entries. */
const LENGTHS = [5, 50, 500];

const EVERYTHING = { clauses: [{}] } as const;
const MANAGER = { agentId: "manager-answer", phaseId: "answer" } as const;

const QUERIES: ReadonlyMap<string, HistoryQuery> = new Map([
  ["worker", workerHistoryFilter().query({ agentId: "worker-answer" })],
  [
    "worker with its memory of the turn",
    workerHistoryFilter({ memory: "turn" }).query({ agentId: "worker-answer" }),
  ],
  ["orchestrator", orchestratorHistoryFilter().query({ agentId: "orchestrator" })],
  [
    "orchestrator with its plans, reports and syntheses",
    orchestratorHistoryFilter({ include: ["own", "reports", "syntheses"] }).query({
      agentId: "orchestrator",
    }),
  ],
  ["manager", managerHistoryFilter().query(MANAGER)],
  ["entries by their ids", { clauses: [{ ids: ["turn-0.1", "turn-1.1", "turn-3.1"] }] }],
  ["the last task", { clauses: [{ lastTask: {} }] }],
  ["the last task in its turn", { clauses: [{ lastTask: {}, turn: { newest: true } }] }],
  [
    "a worker's last task",
    { clauses: [{ agent: "worker-answer", lastTask: { of: "worker-answer" } }] },
  ],
  ["tail of 8,000 tokens", { ...EVERYTHING, maxTokens: 8000 }],
  ["tail of 20 entries", { ...EVERYTHING, maxEntries: 20 }],
]);

await describeWithRedis("redisStore's work", () => {
  it("reads each role's view and each tail in two round trips, and no row of a log but those with an entry to show, at any length", async () => {
    await using server = await startRedisServer();
    await using proxy = await startCountingProxy(server.port);
    for (const turns of LENGTHS) {
      await using writer = await openStore({ urls: [server.url], namespace: "counted" });
      const thread = `thread-${turns}`;
      await writeInBatches(writer.store, thread, turns);
      const address = { urls: [proxy.url], namespace: "counted", protocol: 2 } as const;
      await using reader = await openStore(address);
      await reader.store.read("another");
      for (const [view, query] of QUERIES) {
        proxy.take();
        const { entries } = await reader.store.read(thread, { query });
        const passed = proxy.take();
        const rows = rowsOfLogs(passed);
        // One more tells where the next page begins.
        const spare = rows.length - entries.length;
        expect(entries.length).toBeGreaterThan(2);
        expect({ view, turns, trips: roundTrips(passed) <= 2 || roundTrips(passed) }).toEqual({
          view,
          turns,
          trips: true,
        });
        expect({ view, turns, spare: spare <= 1 || spare }).toEqual({ view, turns, spare: true });
        expect(Math.max(...rows.map(linesOf))).toBeLessThanOrEqual(32);
      }
    }
  });

  it("reads what came since a read of the same handle in one round trip, and elsewhere in two, at any length", async () => {
    await using server = await startRedisServer();
    await using proxy = await startCountingProxy(server.port);
    await using writer = await openStore({ urls: [server.url], namespace: "counted" });
    const address = { urls: [proxy.url], namespace: "counted", protocol: 2 } as const;
    for (const turns of LENGTHS) {
      const thread = `since-${turns}`;
      await writeInBatches(writer.store, thread, turns);
      await using reader = await openStore(address);
      let after = (await reader.store.read(thread)).entries.at(-1)?.id ?? "";
      for (const [nth, count] of [1, 2, 0, 3, 30].entries()) {
        await using other = await openStore(address);
        await other.store.read("another");
        await writer.store.append(thread, count === 0 ? [] : batchOf(`n${nth}`, 0, count));
        const query = { ...EVERYTHING, view: "thread", after, splitExchanges: true } as const;
        proxy.take();
        const { entries } = await reader.store.read(thread, { query });
        const passed = proxy.take();
        await other.store.read(thread, { query });
        expect(entries).toHaveLength(count);
        expect([count, turns, roundTrips(passed)]).toEqual([count, turns, 1]);
        expect(rowsOfLogs(passed).length).toBeLessThanOrEqual(count);
        expect(roundTrips(proxy.take())).toBe(count === 0 ? 1 : 2);
        after = entries.at(-1)?.id ?? after;
      }
    }
  });

  it("appends in one round trip each but for the one that moves a thread to its log, and forty that wait for each other in two at most", async () => {
    await using server = await startRedisServer();
    await using proxy = await startCountingProxy(server.port);
    const address = {
      urls: [proxy.url],
      namespace: "counted",
      protocol: 2,
      options: { shortEntries: 10 },
    } as const;
    await using opened = await openStore(address);
    await opened.store.append("thread", batchOf("w", 0, 3));
    const trips: number[] = [];
    for (let batch = 1; batch < 8; batch += 1) {
      proxy.take();
      await opened.store.append("thread", batchOf("w", batch, 3));
      trips.push(roundTrips(proxy.take()));
    }
    expect(trips).toEqual([1, 1, 2, 1, 1, 1, 1]);
    const waiting = Array.from({ length: 40 }, (_, index) => batchOf(`x${index}`, 0, 2));
    await Promise.all(waiting.map((batch) => opened.store.append("thread", batch)));
    expect(roundTrips(proxy.take())).toBeLessThanOrEqual(2);
  });
});

async function writeInBatches(store: HistoryStore, thread: string, turns: number): Promise<void> {
  const entries = longThread(turns);
  for (let from = 0; from < entries.length; from += 500) {
    await store.append(thread, entries.slice(from, from + 500));
  }
}

/** The rows that came from logs; references are no entries. */
function rowsOfLogs(exchanges: readonly Exchange[]): readonly (readonly string[])[][] {
  return exchanges
    .filter(
      ({ command: [name = "", key = ""] }) => /^X(REV)?RANGE$/iu.test(name) && key.endsWith(":l"),
    )
    .flatMap(({ answer }) => (Array.isArray(answer) ? answer : []));
}

/** A row of a log has a line for each entry. */
function linesOf(row: readonly (readonly string[])[]): number {
  const [, [, text = ""] = []] = row;
  return text.split("\n").length;
}
