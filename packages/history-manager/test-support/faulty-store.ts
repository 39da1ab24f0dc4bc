import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

/** How a call fails: nothing was sent, or its answer was lost, with or without effect. */
export type FaultKind = "not-sent" | "lost-before" | "lost-after";

/** Which calls fail, counted from 1, and how. */
export interface FaultPlan {
  readonly at: number;
  readonly count: number;
  readonly kind: FaultKind;
}

const READS: ReadonlySet<string> = new Set([
  "read",
  "getState",
  "listSummaries",
  "listState",
  "list",
  "describe",
  "verify",
]);

/** A store of which some calls fail, whichever verb they are. */
export function faultyStore(store: HistoryStore, { at, count, kind }: FaultPlan): HistoryStore {
  let calls = 0;
  return intercept(store, async (verb, run) => {
    calls += 1;
    if (calls < at || calls >= at + count) return run();
    if (kind === "not-sent" || READS.has(verb)) {
      throw new HistoryError("Nothing was sent.", { code: "STORE_UNAVAILABLE" });
    }
    if (kind === "lost-after") await run();
    throw new HistoryError("The answer was lost.", { code: "OUTCOME_UNKNOWN" });
  });
}

/** A store whose every call goes through a function. */
export function intercept(
  store: HistoryStore,
  through: <Result>(verb: string, run: () => Promise<Result>) => Promise<Result>,
): HistoryStore {
  return {
    ...store,
    append: async (...call) => through("append", async () => store.append(...call)),
    replaceSuffix: async (...call) =>
      through("replaceSuffix", async () => store.replaceSuffix(...call)),
    read: async (...call) => through("read", async () => store.read(...call)),
    commitCompaction: async (...call) =>
      through("commitCompaction", async () => store.commitCompaction(...call)),
    expand: async (...call) => through("expand", async () => store.expand(...call)),
    listSummaries: async (...call) =>
      through("listSummaries", async () => store.listSummaries(...call)),
    getState: async (...call) => through("getState", async () => store.getState(...call)),
    setState: async (...call) => through("setState", async () => store.setState(...call)),
    listState: async (...call) => through("listState", async () => store.listState(...call)),
    fork: async (...call) => through("fork", async () => store.fork(...call)),
    getMetadata: async (...call) => through("getMetadata", async () => store.getMetadata(...call)),
    setMetadata: async (...call) => through("setMetadata", async () => store.setMetadata(...call)),
    list: async (...call) => through("list", async () => store.list(...call)),
    delete: async (...call) => through("delete", async () => store.delete(...call)),
    describe: async () => through("describe", async () => store.describe()),
    verify: async (...call) => through("verify", async () => store.verify(...call)),
    ping: async (...call) => through("ping", async () => store.ping(...call)),
    close: async () => store.close(),
  };
}
