import { summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { eventually } from "../../test-support/eventually.ts";
import { failOver } from "../../test-support/faults/fail-over.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import type { StoreAddress } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startFailingOverProxy } from "../../test-support/proxies/start-failing-over-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const COMPACTION = {
  view: "conversation",
  summary: summary({ id: "sum", createdAtMs: 1, strategy: "t", trust: "user", content: "Before." }),
  covers: [{ from: "w.0.0.5", to: "w.0.0.5" }],
  expectedViewRevision: 0,
} as const;

const REPLACEMENT = {
  from: "w.0.3.5",
  expectedVersion: "any",
  replacement: [],
  operationId: "o",
} as const;

/** What is answered "already there" when it is called again. */
const VERBS: readonly (readonly [name: string, call: (store: HistoryStore) => Promise<unknown>])[] =
  [
    ["append", (store) => store.append("thread", batchOf("w", 1, 3))],
    ["commitCompaction", (store) => store.commitCompaction("thread", COMPACTION)],
    ["replaceSuffix", (store) => store.replaceSuffix("thread", REPLACEMENT)],
    ["delete", (store) => store.delete("another")],
  ];

// Here WAIT covers no more than what its own connection wrote.
const server = "redis-8";
await describeWithRedis(
  "redisStore with replicas: 1",
  () => {
    it("answers no retry over another connection before a replica has the write", async () => {
      await using primary = await startRedisServer({ server });
      await using line = await startFailingOverProxy(primary.port);
      await using replica = await startRedisServer({ server, replicaOf: line.port });
      const patient = { urls: [primary.url], namespace: "again", options: { replicas: 1 } };
      await using writer = await openStore(patient);
      await follows(primary.url);
      await writer.store.append("thread", batchOf("w", 0, 5));
      line.hold();
      expect(replica.pid()).toBeDefined();
      for (const [verb, call] of VERBS) {
        const codes = [await answerOf(call, patient), await answerOf(call, patient)];
        expect({ verb, codes }).toEqual({ verb, codes: ["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"] });
      }
    });

    it("loses nothing that was acknowledged again over another connection", async () => {
      const report = await failOver({ replicas: 1, threads: 3, batches: 2, server });
      expect(report.violations).toEqual([]);
      expect(report.audit.acknowledged).toBe(3 * 2 * 3);
    });
  },
  server,
);

/** What a caller of little patience is told, who has more of it until the call is sent at all. */
async function answerOf(
  call: (store: HistoryStore) => Promise<unknown>,
  address: StoreAddress,
): Promise<string> {
  for (let timeoutMs = 40; ; timeoutMs *= 2) {
    await using opened = await openStore({ ...address, options: { replicas: 1, timeoutMs } });
    const { code } = await historyErrorOf(call(opened.store));
    if (code !== "STORE_UNAVAILABLE") return code;
  }
}

/** The replica has what its primary wrote, and the primary knows. */
async function follows(url: string): Promise<void> {
  const { send, destroy } = await openClient({ urls: [url] });
  await eventually("the replica follows", async () => {
    await send(["SET", "caught-up", "?"]);
    return Number(await send(["WAIT", "1", "100"])) === 1;
  });
  destroy();
}
