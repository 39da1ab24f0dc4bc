import { countOption } from "@agent-history/core";
import type { HistoryStore, JsonValue, StateItem } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import { decodeState, encodeState } from "@agent-history/store-kit/indexed";

import { SET_STATE } from "../lua/set-state.ts";
import { decodeField, encodeField } from "./encode-key-part.ts";
import { outcomeUnknown } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { listOf, numberOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict, threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { locateThread } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

type StateVerbs = Pick<HistoryStore, "getState" | "setState" | "listState">;

/** Makes `getState`, `setState` and `listState`. */
export function stateVerbs(context: StoreContext): StateVerbs {
  return {
    getState: (threadId, key, { signal } = {}) =>
      runVerb(context, { verb: "get_state", threadId, signal }, async ({ operation }) => {
        requireName("key", key);
        const { meta, state } = locateThread(context.namespace, threadId);
        const reply = await operation.read((commandSignal) =>
          Promise.all([
            context.link.send(meta, ["HGET", meta, "d"], commandSignal),
            context.link.send(state, ["HGET", state, encodeField(key)], commandSignal),
          ]),
        );
        const [deleted, stored] = listOf(reply).map(textOf);
        if (deleted !== undefined) throw threadDeleted();
        return stored === undefined ? undefined : stateOf(stored);
      }),

    setState: (threadId, key, value, { expectedRevision, signal }) =>
      runVerb(context, { verb: "set_state", threadId, signal }, async ({ operation, counts }) => {
        requireName("key", key);
        const json = value === undefined ? "" : encodeState(value);
        counts["agent_history.bytes"] = json.length;
        if (value !== undefined) await context.index.enter(operation, threadId, true);
        const location = locateThread(context.namespace, threadId);
        const name = context.newId();
        const args = [encodeField(key), String(expectedRevision), json, name];
        const write = { script: SET_STATE, args };
        const { status, values, isNew } = await writeThread(context, operation, {
          location,
          write,
        });
        if (status === "conflict") {
          const revision = numberOf(values[0]);
          // What this call may have written, another may have written over.
          const isAnothers = value !== undefined && revision === expectedRevision + 1;
          const isUnknown = operation.isUnsure() && !isAnothers;
          throw isUnknown
            ? outcomeUnknown("overwritten")
            : conflict("revision", expectedRevision, revision);
        }
        if (isNew === true) await context.index.enter(operation, threadId, false);
        return { revision: numberOf(values[0]) };
      }),

    listState: (threadId, { prefix = "", cursor, limit = 100, signal } = {}) =>
      runVerb(context, { verb: "list_state", threadId, signal }, async ({ operation }) => {
        const count = countOption("limit", limit);
        const keys = await keysOfState(context, operation, threadId);
        const wanted = keys
          .filter((key) => key.startsWith(prefix) && (cursor === undefined || `:${key}` > cursor))
          .toSorted((one, other) => (one < other ? -1 : 1));
        const page = wanted.slice(0, count);
        const items = await readItems(context, operation, { threadId, keys: page });
        const last = page.at(-1);
        // An empty text is a key, and a cursor is none.
        return wanted.length > page.length && last !== undefined
          ? { items, cursor: `:${last}` }
          : { items };
      }),
  };
}

async function keysOfState(
  { link, namespace }: StoreContext,
  operation: Operation,
  threadId: string,
): Promise<readonly string[]> {
  const { meta, state } = locateThread(namespace, threadId);
  const [deleted, keys] = await operation.read((signal) =>
    Promise.all([
      link.send(meta, ["HGET", meta, "d"], signal),
      link.send(state, ["HKEYS", state], signal),
    ]),
  );
  if (textOf(deleted) !== undefined) throw threadDeleted();
  return listOf(keys).flatMap((key) => decodeField(textOf(key) ?? ""));
}

/** Reads values by their keys; what was removed meanwhile is left out. */
async function readItems(
  { link, namespace }: StoreContext,
  operation: Operation,
  { threadId, keys }: { readonly threadId: string; readonly keys: readonly string[] },
): Promise<readonly StateItem[]> {
  if (keys.length === 0) return [];
  const { state } = locateThread(namespace, threadId);
  const values = await operation.read((signal) =>
    link.send(state, ["HMGET", state, ...keys.map(encodeField)], signal),
  );
  return listOf(values).flatMap((value, index) => {
    const stored = textOf(value);
    const key = keys[index];
    return stored === undefined || key === undefined ? [] : { key, ...stateOf(stored) };
  });
}

function stateOf(stored: string): { readonly value: JsonValue; readonly revision: number } {
  const [, revision = "", json = ""] = /^(\d{1,15}) \S+ (.*)$/s.exec(stored) ?? [];
  if (revision === "") throw threadCorrupt("state");
  return { value: decodeState(json), revision: Number(revision) };
}
