import type { HistoryStore, JsonValue } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import { decodeState, encodeState } from "@agent-history/store-kit";

import { SET_STATE } from "../lua/set-state.ts";
import { encodeField } from "./encode-key-part.ts";
import { outcomeUnknown } from "./operation.ts";
import { listOf, numberOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict, threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { placeOfThread } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

/** Makes `getState` and `setState`. */
export function stateVerbs(context: StoreContext): Pick<HistoryStore, "getState" | "setState"> {
  return {
    getState: (threadId, key, { signal } = {}) =>
      runVerb(context, { verb: "get_state", threadId, signal }, async ({ operation }) => {
        requireName("key", key);
        const { meta, state } = placeOfThread(context.namespace, threadId);
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
        const json = encodeState(value);
        counts["agent_history.bytes"] = json.length;
        await context.index.enter(operation, threadId, true);
        const place = placeOfThread(context.namespace, threadId);
        const name = context.newId();
        const args = [encodeField(key), String(expectedRevision), json, name];
        const write = { script: SET_STATE, args };
        const { status, values, isNew } = await writeThread(context, operation, { place, write });
        if (status === "conflict") {
          const revision = numberOf(values[0]);
          // What this call may have written, another may have written over.
          const isUnknown = operation.isUnsure() && revision > expectedRevision + 1;
          throw isUnknown
            ? outcomeUnknown("overwritten")
            : conflict("revision", expectedRevision, revision);
        }
        if (isNew === true) await context.index.enter(operation, threadId, false);
        return { revision: numberOf(values[0]) };
      }),
  };
}

function stateOf(stored: string): { readonly value: JsonValue; readonly revision: number } {
  const [, revision = "", json = ""] = /^(\d{1,15}) \S+ (.*)$/s.exec(stored) ?? [];
  if (revision === "") throw threadCorrupt("state");
  return { value: decodeState(json), revision: Number(revision) };
}
