import { countOption } from "../count-option.ts";
import type { HistoryStore } from "../history-store.ts";
import { requireName } from "../require-name.ts";
import { enter } from "./memory-handle.ts";
import type { Handle } from "./memory-handle.ts";
import { requireSmallState } from "./memory-limits.ts";
import { asJson, requireRevision } from "./memory-thread.ts";

type StateVerbs = Pick<HistoryStore, "getState" | "setState" | "listState">;

/** The verbs about small state beside the log. */
export function stateVerbs(handle: Handle): StateVerbs {
  return {
    getState: async (threadId, key, { signal } = {}) => {
      requireName("key", key);
      const thread = enter(handle, signal).find(threadId);
      return structuredClone(thread?.state.get(key));
    },

    setState: async (threadId, key, value, { expectedRevision, signal }) => {
      const threads = enter(handle, signal);
      requireName("key", key);
      if (value !== undefined) requireSmallState(value);
      const known = threads.find(threadId);
      const actual = known?.state.get(key)?.revision ?? 0;
      requireRevision(expectedRevision, actual);
      if (value === undefined) {
        known?.state.delete(key);
        if (known !== undefined) known.removedRevision = Math.max(known.removedRevision, actual);
        return { revision: 0 };
      }
      const thread = threads.open(threadId);
      const revision = (actual === 0 ? thread.removedRevision : actual) + 1;
      thread.state.set(key, { value: asJson(value), revision });
      return { revision };
    },

    listState: async (threadId, { prefix = "", cursor, limit = 100, signal } = {}) => {
      const count = countOption("limit", limit);
      const state = enter(handle, signal).find(threadId)?.state ?? new Map<string, never>();
      const all = [...state]
        .filter(([key]) => key.startsWith(prefix) && (cursor === undefined || `:${key}` > cursor))
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
      const items = all.slice(0, count).map(([key, kept]) => ({ key, ...structuredClone(kept) }));
      const last = items.at(-1)?.key;
      // An empty text is a key, and a cursor is none.
      return all.length > items.length && last !== undefined
        ? { items, cursor: `:${last}` }
        : { items };
    },
  };
}
