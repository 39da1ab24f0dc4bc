import type { HistoryStore } from "@agent-history/core";
import {
  prepareReplacement,
  replaceProgram,
  runProgramAsync,
} from "@agent-history/store-kit/indexed";

import { confirmWrite } from "./confirm-write.ts";
import { TORN } from "./look-up-presence.ts";
import { outcomeUnknown } from "./operation.ts";
import { replacementWrite } from "./replacement-write.ts";
import { lineOf, packRows, rowEndsOf } from "./row-text.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { threadCorrupt, threadMissing } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";
import { locateThread } from "./tree-keys.ts";
import { knownTree, writeThread } from "./write-thread.ts";

/** Makes `replaceSuffix`: worked out from what the thread is, written in one script, and worked out again where the thread moved on. */
export function replaceVerb(context: StoreContext): HistoryStore["replaceSuffix"] {
  return (threadId, { signal, expectedVersion, ...options }) =>
    runVerb(
      context,
      { verb: "replace_suffix", threadId, signal },
      async ({ operation, counts }) => {
        const prepared = prepareReplacement(options);
        const { batch } = prepared;
        counts["agent_history.entries"] = batch.entries.length;
        counts["agent_history.bytes"] = batch.bytes;
        const location = locateThread(context.namespace, threadId);
        let refused = "";
        for (;;) {
          const reader = threadReader(context, operation, location);
          await reader.answer([{ kind: "thread" }]);
          if (reader.found()?.exists !== true) throw threadMissing();
          const program = replaceProgram({
            ...prepared,
            expectedVersion,
            rowEnds: (position) => {
              const lines = batch.entries.map((entry, index) => lineOf(entry, position + index));
              return rowEndsOf(packRows(lines, position));
            },
          });
          const change = await runProgramAsync(program, reader.answer).catch((error: unknown) => {
            throw operation.isUnsure() && error !== TORN ? outcomeUnknown("disconnected") : error;
          });
          counts["agent_history.round_trips"] = reader.roundTrips();
          const { version } = change;
          if (change.kind === "known") {
            if (await confirmWrite(context, operation, { location, found: [] })) return { version };
            continue;
          }
          const found = reader.found();
          if (found === undefined) throw threadMissing();
          const tree = await knownTree(context, operation, location);
          const ids = change.replaced.map(({ id }) => id);
          const [answer] = await reader.answer([{ kind: "replaced", ids }]);
          const earlier = answer?.kind === "replaced" ? answer.replaced : new Map();
          const write = replacementWrite(location, { batch, change, earlier, found, tree });
          const { status, change: changed } = await writeThread(context, operation, {
            location,
            write,
          });
          context.known.forgetTree(location.tag);
          if (status === "ok") {
            context.known.forgetWriter(threadId);
            if (changed !== undefined) context.newest.touch(threadId, changed);
            return { version };
          }
          if (status === "missing") throw threadMissing();
          const again = JSON.stringify(write.args);
          // The thread did not move on, and is refused all the same: its keys disagree.
          if (status === "moved" && again === refused) throw threadCorrupt("meta");
          refused = status === "moved" ? again : "";
          countRetry();
        }
      },
    );
}
