import type { HistoryStore, JsonValue } from "@agent-history/core";
import { countOption, HistoryError } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";

import { encodeState } from "../encode-state.ts";
import type { JournalLogs } from "./journal-logs.ts";
import { requireAlive } from "./require-thread.ts";

type StateVerbs = Pick<HistoryStore, "getState" | "setState" | "listState">;

/** The verbs about what stands beside the log of a thread. */
export function stateVerbs(logs: JournalLogs): StateVerbs {
  return {
    getState: async (threadId, key, { signal } = {}) => {
      const log = logs.open(threadId, signal);
      requireName("key", key);
      return log.read((tables) => {
        requireAlive(tables);
        return structuredClone(tables.state.get(key));
      }, signal);
    },

    setState: async (threadId, key, given, { expectedRevision, signal }) => {
      const log = logs.open(threadId, signal);
      requireName("key", key);
      const value: JsonValue | undefined =
        given === undefined ? undefined : JSON.parse(encodeState(given));
      return log.write((tables) => {
        requireAlive(tables);
        const actual = tables.state.get(key)?.revision ?? 0;
        if (actual !== expectedRevision) throw conflict(expectedRevision, actual);
        if (value === undefined) {
          const result = { revision: 0 };
          if (actual === 0) return { result };
          return { result, change: { kind: "state", key, revision: actual } };
        }
        const revision = (actual === 0 ? tables.removedRevision : actual) + 1;
        return { result: { revision }, change: { kind: "state", key, value, revision } };
      }, signal);
    },

    listState: async (threadId, { prefix = "", cursor, limit = 100, signal } = {}) => {
      const log = logs.open(threadId, signal);
      const count = countOption("limit", limit);
      return log.read((tables) => {
        requireAlive(tables);
        const all = [...tables.state]
          .filter(([key]) => key.startsWith(prefix) && (cursor === undefined || `:${key}` > cursor))
          .toSorted(([one], [other]) => (one < other ? -1 : 1));
        const items = all.slice(0, count).map(([key, kept]) => ({ key, ...structuredClone(kept) }));
        const last = items.at(-1)?.key;
        // An empty text is a key, and a cursor is none.
        const goesOn = all.length > items.length && last !== undefined;
        return goesOn ? { items, cursor: `:${last}` } : { items };
      }, signal);
    },
  };
}

function conflict(expected: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected the revision to be ${expected}, but it is ${actual}. Read again, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}
