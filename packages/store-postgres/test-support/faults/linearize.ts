import { reportOfMixed } from "../../../store-redis/test-support/faults/fault-report.ts";
import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { registerCalls } from "../../../store-redis/test-support/faults/register-calls.ts";
import { auditThread } from "../../../store-redis/test-support/oracle/audit.ts";
import { isLinearizable } from "../../../store-redis/test-support/oracle/is-linearizable.ts";
import { startCuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import { linearizeLog } from "../../../testkit/test-support/faults/linearize-log.ts";
import { addressOf, openStore } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";

const CLIENTS = 3;

/** Clients write and read the same state while requests and answers are lost. Checks that all answers are linearizable. */
export async function linearize(options: {
  /** Number of histories, each of its own key and some calls by each client. */
  readonly histories: number;
  readonly random: () => number;
}): Promise<FaultReport> {
  const { histories, random } = options;
  await using server = await startPostgresServer();
  await using closing = new AsyncDisposableStack();
  const clients = Array.from({ length: CLIENTS }, async () => {
    const proxy = closing.use(await startCuttingProxy(server.port));
    const url = server.url.replace(`:${server.port}`, `:${proxy.port}`);
    return { proxy, opened: closing.use(await openStore(addressOf(url, { connections: 1 }))) };
  });
  const all = await Promise.all(clients);
  const counts = { calls: 0, unknown: 0, refused: 0 };
  const violations: string[] = [];
  for (let history = 0; history < histories; history += 1) {
    const key = `key-${history}`;
    const calls = await registerCalls(
      all.map(({ opened }) => opened),
      {
        key,
        random,
        proxies: all.map(({ proxy }) => proxy),
        writing: ".commit_thread(",
        beforeCall: () => {},
      },
    );
    counts.calls += calls.length;
    counts.unknown += calls.filter(({ outcome }) => outcome.kind === "unknown").length;
    counts.refused += calls.filter(({ outcome }) => outcome.kind === "refused").length;
    if (!isLinearizable(calls)) violations.push(`${key}: ${JSON.stringify(calls)}`);
  }
  const cuts = all.reduce((sum, { proxy }) => sum + proxy.cuts.before + proxy.cuts.after, 0);
  const audit = { ...auditThread([], new Map()), acknowledged: counts.calls - counts.unknown };
  return { audit, figures: { histories, ...counts, cuts }, violations };
}

/** Clients append, compact, expand and read concurrently. Searches for an order of all calls that explains each read. */
export async function linearizeReads(options: { readonly runs: number }): Promise<FaultReport> {
  await using server = await startPostgresServer();
  const found: { calls: number; violations: string[] } = { calls: 0, violations: [] };
  for (let run = 0; run < options.runs; run += 1) {
    const address = { ...addressOf(server.url, { connections: 2 }), schema: `order_${run}` };
    const { calls, violations } = await linearizeLog({
      open: async () => openStore(address),
      writers: 3,
      readers: 3,
      batches: 40,
    });
    found.calls += calls;
    found.violations.push(...violations);
  }
  return reportOfMixed({ writes: found.calls, done: 0, violations: found.violations });
}
