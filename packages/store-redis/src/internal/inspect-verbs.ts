import type { HistoryStore, StoredEntryProblem } from "@agent-history/core";
import { countOption } from "@agent-history/core";
import { runProgramAsync, verifyProgram } from "@agent-history/store-kit";

import { describeDurability } from "./describe-durability.ts";
import { withDeadline } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { listOf, numberOf } from "./reply.ts";
import { requireCall, runVerb } from "./run-verb.ts";
import { factsAsJson, readServerFacts } from "./server-facts.ts";
import type { StoreContext } from "./store-context.ts";
import { threadReader } from "./thread-reader.ts";
import { indexKey, locateThread } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** Makes `list`, `ping`, `describe` and `verify`. */
export function inspectVerbs(
  context: StoreContext,
): Pick<HistoryStore, "list" | "ping" | "describe" | "verify"> {
  return {
    ping: ({ signal } = {}) =>
      runVerb(context, { verb: "ping", signal }, async ({ operation }) => {
        const key = indexKey(context.namespace, 0);
        await operation.read((reading) => context.link.send(key, ["EXISTS", key], reading));
      }),

    list: ({ prefix = "", cursor, limit = 100, signal } = {}) =>
      runVerb(context, { verb: "list", signal }, async ({ operation, counts }) => {
        const count = countOption("limit", limit);
        const page = await context.index.list(operation, { prefix, cursor, limit: count });
        counts["agent_history.threads"] = page.threadIds.length;
        return page;
      }),

    describe: async () => {
      requireCall(context, {});
      const { timeoutMs, replicas, ttlMs } = context;
      const servers = await withDeadline({ timeoutMs }, (operation) =>
        readServerFacts(context.link, operation),
      );
      return {
        kind: "redis",
        durability: describeDurability(servers, replicas),
        details: {
          servers: servers.map(factsAsJson),
          replicasAwaited: replicas,
          ...(ttlMs === undefined ? {} : { ttlMs }),
        },
      };
    },

    verify: (threadId, { signal } = {}) =>
      runVerb(context, { verb: "verify", threadId, signal }, async ({ operation, counts }) => {
        const location = locateThread(context.namespace, threadId);
        const reader = threadReader(context, operation, location);
        const problems = await runProgramAsync(verifyProgram(), reader.answer);
        const sizes = await problemsOfKeys(context, operation, {
          location,
          version: reader.found()?.entryCount ?? 0,
        });
        counts["agent_history.problems"] = problems.length + sizes.length;
        return [...problems, ...sizes];
      }),
  };
}

/** Compares the sizes of log and id map with what the thread says of itself. */
async function problemsOfKeys(
  { link }: StoreContext,
  operation: Operation,
  { location, version }: { readonly location: ThreadLocation; readonly version: number },
): Promise<readonly StoredEntryProblem[]> {
  const [meta, rows, ids, short] = await operation.read((signal) =>
    Promise.all([
      link.send(location.meta, ["HMGET", location.meta, "n", "k"], signal),
      link.send(location.log, ["XLEN", location.log], signal),
      link.send(location.ids, ["HLEN", location.ids], signal),
      link.send(location.short, ["HLEN", location.short], signal),
    ]),
  );
  const problems: StoredEntryProblem[] = [];
  const [expected, summaries] = listOf(meta).map(numberOf);
  if (numberOf(rows) !== (expected ?? 0)) {
    problems.push(
      brokenKey(version, `Expected ${expected ?? 0} rows in the log, found ${numberOf(rows)}.`),
    );
  }
  const expectedIds = version + (summaries ?? 0);
  const foundIds = numberOf(ids) + numberOf(short);
  if (foundIds !== expectedIds) {
    problems.push(brokenKey(version, `Expected ${expectedIds} ids, found ${foundIds}.`));
  }
  return problems;
}

function brokenKey(position: number, reason: string): StoredEntryProblem {
  return { position, kind: "broken", reason };
}
