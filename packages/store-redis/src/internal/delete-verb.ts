import type { HistoryStore } from "@agent-history/core";

import { DELETE } from "../lua/delete.ts";
import { listOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { threadCorrupt } from "./thread-errors.ts";
import { nameInTree, ownKeys, locateThread } from "./tree-keys.ts";
import { namesToDelete } from "./tree.ts";
import { knownTree, runWrite } from "./write-thread.ts";

/** Makes `delete`: all keys go in one step but the tombstone, and the log where forks still share it. */
export function deleteVerb(context: StoreContext): HistoryStore["delete"] {
  return (threadId, { signal } = {}) =>
    runVerb(context, { verb: "delete", threadId, signal }, async ({ operation }) => {
      const location = locateThread(context.namespace, threadId);
      const { tag, meta } = location;
      context.known.forgetTree(tag);
      for (;;) {
        const tree = await knownTree(context, operation, location);
        const isKnown = tree.names.has(nameInTree(location, meta));
        // Keys of a thread that the tree does not know are another program's, or what an eviction left.
        const strays = isKnown
          ? []
          : ownKeys(location)
              .map((key) => nameInTree(location, key))
              .slice(1);
        const names = [...namesToDelete(tree, location), ...strays];
        const reply = await runWrite(context, operation, {
          script: DELETE,
          keys: [meta, location.tree, ...names.map((name) => `${tag}${name}`)],
          args: [String(tree.revision), nameInTree(location, meta), ...names],
        });
        context.known.forgetTree(tag);
        const [status, reason] = listOf(reply).map(textOf);
        if (status === "corrupt") throw threadCorrupt(reason ?? "");
        if (status === "ok") break;
      }
      context.known.forget(threadId);
      await context.index.leave(operation, threadId);
    });
}
