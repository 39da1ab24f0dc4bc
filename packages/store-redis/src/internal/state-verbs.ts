import type { HistoryStore, JsonValue } from "@agent-history/core";
import { encodeState } from "@agent-history/store-kit";

import { SET_STATE } from "../lua/set-state.ts";
import { encodeField } from "./encode-key-part.ts";
import { listOf, numberOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict, threadDeleted } from "./thread-errors.ts";
import { placeOfThread } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

/** Makes `getState` and `setState`. */
export function stateVerbs(context: StoreContext): Pick<HistoryStore, "getState" | "setState"> {
  return {
    getState: (threadId, key, { signal } = {}) =>
      runVerb(context, { verb: "get_state", threadId, signal }, async ({ operation }) => {
        const { meta, state } = placeOfThread(context.namespace, threadId);
        const reply = await operation.read((commandSignal) =>
          Promise.all([
            context.link.send(meta, ["HGET", meta, "d"], commandSignal),
            context.link.send(state, ["HGET", state, encodeField(key)], commandSignal),
          ]),
        );
        const [deleted, stored] = listOf(reply).map(textOf);
        if (deleted !== undefined) throw threadDeleted();
        return stored === undefined ? undefined : decodeState(stored);
      }),

    setState: (threadId, key, value, { expectedRevision, signal }) =>
      runVerb(context, { verb: "set_state", threadId, signal }, async ({ operation, counts }) => {
        const json = encodeState(value);
        counts["agent_history.bytes"] = json.length;
        await context.index.enter(operation, threadId);
        const place = placeOfThread(context.namespace, threadId);
        const args = [encodeField(key), String(expectedRevision), json];
        const write = { script: SET_STATE, args };
        const { status, values } = await writeThread(context, operation, { place, write });
        if (status === "conflict") {
          const isOwn = operation.isUnsure() && textOf(values[1]) === json;
          if (isOwn) return { revision: numberOf(values[0]) };
          throw conflict("revision", expectedRevision, numberOf(values[0]));
        }
        return { revision: numberOf(values[0]) };
      }),
  };
}

function decodeState(stored: string): { readonly value: JsonValue; readonly revision: number } {
  const space = stored.indexOf(" ");
  const value: JsonValue = JSON.parse(stored.slice(space + 1));
  return { value, revision: Number(stored.slice(0, space)) };
}
