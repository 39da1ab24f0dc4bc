import { HistoryError } from "@agent-history/core";
import type { HistoryQuery, HistoryStore, ReadResult } from "@agent-history/core";

/** One read of a store. */
export interface WatchedRead {
  /** `whole` without bounds; else what it was limited by. */
  readonly kind: "whole" | "since" | "named" | "back";
  readonly rows: number;
}

/** A store that notes its reads. */
export interface WatchedStore extends HistoryStore {
  readonly reads: WatchedRead[];
  /** How often a read began while no other was under way. */
  rounds: number;
}

/** A handle of its own on a store, as another process has it, that notes its reads. */
export function watchedReads(store: HistoryStore): WatchedStore {
  let underWay = 0;
  const watched: WatchedStore = {
    ...store,
    reads: [],
    rounds: 0,
    read: async (threadId, options) => {
      if (underWay === 0) watched.rounds += 1;
      underWay += 1;
      const result: ReadResult = await store.read(threadId, options);
      underWay -= 1;
      watched.reads.push({ kind: kindOf(options?.query), rows: result.entries.length });
      return result;
    },
  };
  return watched;
}

function kindOf(query: HistoryQuery | undefined): WatchedRead["kind"] {
  if (query?.after !== undefined) return "since";
  if (query?.clauses[0]?.ids !== undefined) return "named";
  return query?.maxEntries === undefined ? "whole" : "back";
}

/** A handle by which every call reads its view whole, and of which nothing is kept: it tells what a prompt must be. */
export function wholeReads(store: HistoryStore): HistoryStore {
  return {
    ...store,
    read: async (threadId, options) => {
      // As where the entry is gone: whoever remembers something, and would go on from there, reads all.
      if (options?.query?.after === undefined) return store.read(threadId, options);
      throw new HistoryError("Gone.", { code: "NOT_FOUND" });
    },
    getState: async (...call) => {
      const found = await store.getState(...call);
      if (found === undefined) return undefined;
      const { start: _, ...value } = Object(found.value);
      return { ...found, value };
    },
    setState: async (_, __, ___, { expectedRevision }) => ({ revision: expectedRevision + 1 }),
  };
}
