import { linearizeLog } from "../../../testkit/test-support/faults/linearize-log.ts";
import { eventually } from "../eventually.ts";
import { openClient } from "../open-client.ts";
import { openStore } from "../open-store.ts";
import { auditThread } from "../oracle/audit.ts";
import { isLinearizable } from "../oracle/is-linearizable.ts";
import { startCuttingProxy } from "../proxies/start-cutting-proxy.ts";
import { startProxy } from "../proxies/start-proxy.ts";
import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOfMixed } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { registerCalls } from "./register-calls.ts";

const CLIENTS = 3;

/**
 * Clients write and read the same state while requests and answers are lost, and in some histories the connection between primary and replica
 * is cut. Checks that all answers are linearizable.
 */
export async function linearize(options: {
  /** Number of histories, each of its own key and some calls by each client. */
  readonly histories: number;
  readonly random: () => number;
}): Promise<FaultReport> {
  const { histories, random } = options;
  await using primary = await startRedisServer();
  await using line = await startProxy(primary.port, ({ client, server }) => {
    client.on("data", (request) => void server.write(request));
    server.on("data", (answer) => void client.write(answer));
  });
  await using replica = await startRedisServer({ replicaOf: line.port });
  await follows(primary.url, replica.pid());
  await using proxies = await eachClient(() => startCuttingProxy(primary.port));
  const address = { namespace: "linear", options: { replicas: 0, timeoutMs: 10_000 } };
  await using stores = await eachClient((nth) =>
    openStore({ ...address, urls: [proxies.all[nth]?.url ?? ""] }),
  );
  const impatient = { ...address, options: { replicas: 1, timeoutMs: 60 } };
  await using waiting = await eachClient((nth) =>
    openStore({ ...impatient, urls: [proxies.all[nth]?.url ?? ""] }),
  );
  const counts = { calls: 0, unknown: 0, refused: 0, "replica cuts": 0 };
  const violations: string[] = [];
  for (let history = 0; history < histories; history += 1) {
    const cutsLine = history % 5 === 4;
    const key = `key-${history}`;
    const calls = await registerCalls(cutsLine ? waiting.all : stores.all, {
      key,
      random,
      proxies: proxies.all,
      writing: "EVAL",
      beforeCall: () => {
        if (!cutsLine || random() > 0.2) return;
        counts["replica cuts"] += 1;
        for (const { client } of line.connections) client.destroy();
      },
    });
    counts.calls += calls.length;
    counts.unknown += calls.filter(({ outcome }) => outcome.kind === "unknown").length;
    counts.refused += calls.filter(({ outcome }) => outcome.kind === "refused").length;
    if (!isLinearizable(calls)) violations.push(`${key}: ${JSON.stringify(calls)}`);
  }
  const cuts = proxies.all.reduce((sum, proxy) => sum + proxy.cuts.before + proxy.cuts.after, 0);
  const audit = { ...auditThread([], new Map()), acknowledged: counts.calls - counts.unknown };
  return { audit, figures: { histories, ...counts, cuts }, violations };
}

/** Opens one for each client, and disposes all of them. */
async function eachClient<Opened extends AsyncDisposable>(
  open: (nth: number) => Promise<Opened>,
): Promise<AsyncDisposable & { readonly all: readonly Opened[] }> {
  const all = await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => open(nth)));
  return {
    all,
    [Symbol.asyncDispose]: async () => {
      for (const one of all) await one[Symbol.asyncDispose]();
    },
  };
}

async function follows(url: string, replicaPid: number | undefined): Promise<void> {
  const { send, destroy } = await openClient({ urls: [url] });
  await eventually(`the replica ${replicaPid ?? ""} follows`, async () => {
    await send(["SET", "caught-up", "?"]);
    return Number(await send(["WAIT", "1", "100"])) === 1;
  });
  destroy();
}

/** Clients append, compact, expand and read concurrently. Searches for an order of all calls that explains each read. */
export async function linearizeReads(options: { readonly runs: number }): Promise<FaultReport> {
  await using server = await startRedisServer();
  const found: { calls: number; violations: string[] } = { calls: 0, violations: [] };
  for (let run = 0; run < options.runs; run += 1) {
    const address = { urls: [server.url], namespace: `order-${run}` };
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
