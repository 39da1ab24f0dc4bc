import type { HistoryStore } from "@agent-history/core";

import { describeDurability } from "./describe-durability.ts";
import { withDeadline } from "./operation.ts";
import { requireCall, runVerb } from "./run-verb.ts";
import { factsAsJson, readServerFacts } from "./server-facts.ts";
import type { StoreContext } from "./store-context.ts";
import { indexKey } from "./tree-keys.ts";

/** Makes `ping` and `describe`. */
export function inspectVerbs(context: StoreContext): Pick<HistoryStore, "ping" | "describe"> {
  return {
    ping: ({ signal } = {}) =>
      runVerb(context, { verb: "ping", signal }, async ({ operation }) => {
        const key = indexKey(context.namespace, 0);
        await operation.read((reading) => context.link.send(key, ["EXISTS", key], reading));
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
  };
}
