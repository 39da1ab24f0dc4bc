import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { eventually } from "../eventually.ts";
import { openClient } from "../open-client.ts";
import { openStore } from "../open-store.ts";
import { audit, violations } from "../oracle/audit.ts";
import { batchOf } from "../oracle/batch-of.ts";
import { ledger } from "../oracle/ledger.ts";
import type { Ledger } from "../oracle/ledger.ts";
import { startFailingOverProxy } from "../proxies/start-failing-over-proxy.ts";
import type { ServerName } from "../servers/redis-program.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import type { RedisServer } from "../servers/start-redis-server.ts";
import type { FaultReport } from "./fault-report.ts";

/**
 * Kills the primary while its replica lags, and promotes the replica.
 *
 * With `replicas: 0`, writes that had not reached the replica are lost, and a store that saw them must report it. With `replicas: 1`,
 * only writes that reached the replica are acknowledged.
 */
export async function failOver(options: {
  readonly replicas: 0 | 1;
  readonly threads: number;
  /** Batches to each thread before the replica lags, and as many while it lags. */
  readonly batches: number;
  /** The kind of server. Default: any that is available. */
  readonly server?: ServerName;
}): Promise<FaultReport> {
  const { replicas, threads, batches, server } = options;
  const kind = server === undefined ? {} : { server };
  await using primary = await startRedisServer(kind);
  // Replication passes through this proxy, which delays it.
  await using line = await startFailingOverProxy(primary.port);
  await using replica = await startRedisServer({ ...kind, replicaOf: line.port });
  await using entrance = await startFailingOverProxy(primary.port);
  const address = { urls: [entrance.url], namespace: "failover" };
  await using opened = await openStore({ ...address, options: { replicas } });
  const book = ledger();
  const names = Array.from({ length: threads }, (_, index) => `thread-${index}`);
  await hasCaughtUp(primary);
  await writeAll(opened.store, { names, book, from: 0, to: batches });
  await hasCaughtUp(primary);
  line.hold();
  const late = { names, book, from: batches, to: 2 * batches };
  // Waits for a lagging replica end after a short timeout.
  const inVain = { ...address, options: { replicas, ...(replicas > 0 && { timeoutMs: 500 }) } };
  await using impatient = await openStore(inVain);
  const failures = await writeAll(replicas > 0 ? impatient.store : opened.store, late);
  // Another connection, which did not make the writes itself, must also wait for the replica.
  await using another = await openStore(inVain);
  await writeAll(another.store, late);
  await using witness = await openStore(address);
  for (const name of names) await witness.store.read(name);
  await primary.kill9();
  const { send, destroy } = await openClient({ urls: [replica.url] });
  await send(["REPLICAOF", "NO", "ONE"]);
  destroy();
  entrance.leadTo(replica.port);
  await using fresh = await openStore(address);
  const found = await audit(fresh.store, book);
  const both = { writer: opened.store, reader: witness.store };
  const told = replicas === 0 ? await tellsOfLoss(names, both) : 0;
  const figures =
    replicas === 0
      ? { threads, "threads told of": told }
      : { threads, "writes not replicated": failures };
  return { audit: found, figures, violations: faultsOf(found, { replicas, threads, told }) };
}

/** Lists violations. Without waiting for replicas, entries may be lost, but the loss must be reported. */
export function faultsOf(
  found: FaultReport["audit"],
  { replicas, threads, told }: { replicas: 0 | 1; threads: number; told: number },
): string[] {
  if (replicas === 1) return violations(found);
  const others = violations(found).filter((violation) => !violation.endsWith(" missing"));
  const silent = threads - told;
  return silent === 0 ? others : [...others, `${silent} threads lost entries in silence`];
}

/** Waits until the replica has acknowledged all writes: `WAIT` does not count a replica that has not yet answered the primary. */
async function hasCaughtUp(primary: RedisServer): Promise<void> {
  const { send, destroy } = await openClient({ urls: [primary.url] });
  await eventually("the replica follows", async () => {
    await send(["SET", "caught-up", "?"]);
    return Number(await send(["WAIT", "1", "100"])) === 1;
  });
  destroy();
}

/** Writes batches to each thread, one after the other, and records acknowledged ones in the ledger. Returns how many writes failed. */
export async function writeAll(
  store: HistoryStore,
  part: { names: readonly string[]; book: Ledger; from: number; to: number },
): Promise<number> {
  const { names, book, from, to } = part;
  let failures = 0;
  const writeThread = async (thread: string): Promise<void> => {
    for (let batch = from; batch < to; batch += 1) {
      const sent = { thread, writer: "w", batch, size: 3 };
      book.sent(sent);
      try {
        await store.append(thread, batchOf("w", batch, 3));
        book.acknowledged(sent);
      } catch (error) {
        if (!isHistoryError(error)) throw error;
        failures += 1;
        return;
      }
    }
  };
  await Promise.all(names.map(writeThread));
  return failures;
}

/** Counts the threads whose loss is reported to both a writer and a reader that saw the lost entries. */
export async function tellsOfLoss(
  names: readonly string[],
  { writer, reader }: { readonly writer: HistoryStore; readonly reader: HistoryStore },
): Promise<number> {
  const told = names.map(async (thread) => {
    const late = batchOf("late", 0, 1);
    const codes = await Promise.all([
      outcomeOf(() => writer.append(thread, late)),
      outcomeOf(() => reader.read(thread)),
    ]);
    return codes.every((code) => code === "HISTORY_REWOUND");
  });
  return (await Promise.all(told)).filter(Boolean).length;
}

/** Repeats a call until the server is reachable. Returns its error code, or `silence` if it succeeds. */
async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      await call();
      return "silence";
    } catch (error) {
      if (!isHistoryError(error)) throw error;
      const isPassing = ["OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"].includes(error.code);
      if (!isPassing) return error.code;
    }
  }
}
