import type { HistoryStore } from "@agent-history/core";
import { commitProgram, expandProgram, runProgramAsync } from "@agent-history/store-kit/indexed";
import type {
  CompactionChange,
  CompactionKnown,
  StoreProgram,
} from "@agent-history/store-kit/indexed";

import { COMMIT } from "../lua/commit.ts";
import { EXPAND } from "../lua/expand.ts";
import { confirmWrite } from "./confirm-write.ts";
import { encodeField } from "./encode-key-part.ts";
import { TORN } from "./look-up-presence.ts";
import { outcomeUnknown } from "./operation.ts";
import { numberOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import type { VerbRun } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { encodeSummary } from "./stored-summary.ts";
import { threadCorrupt, threadMissing } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";
import { locateThread } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";
import type { ThreadWrite } from "./write-thread.ts";

/** Makes `commitCompaction` and `expand`. */
export function compactionVerbs(
  context: StoreContext,
): Pick<HistoryStore, "commitCompaction" | "expand"> {
  return {
    commitCompaction: (threadId, { signal, ...options }) =>
      runVerb(context, { verb: "commit_compaction", threadId, signal }, (run) =>
        change(context, run, {
          threadId,
          program: () => commitProgram(options),
          summaryId: options.summary.id,
        }),
      ),
    expand: (threadId, summaryId, { signal } = {}) =>
      runVerb(context, { verb: "expand", threadId, signal }, (run) =>
        change(context, run, { threadId, program: () => expandProgram({ summaryId }), summaryId }),
      ),
  };
}

/** Works a change out and writes it, again where the view moved on meanwhile. */
async function change(
  context: StoreContext,
  { operation, counts }: VerbRun,
  {
    threadId,
    program,
    summaryId,
  }: {
    readonly threadId: string;
    readonly summaryId: string;
    readonly program: () => StoreProgram<CompactionChange | CompactionKnown>;
  },
): Promise<{ readonly viewRevision: number }> {
  const location = locateThread(context.namespace, threadId);
  let refused = "";
  for (;;) {
    const reader = threadReader(context, operation, location);
    const first = await reader.answer([{ kind: "thread" }]);
    if (reader.found()?.exists !== true && first.length > 0) throw threadMissing();
    const outcome = await runProgramAsync(program(), reader.answer).catch((error: unknown) => {
      // Of an expand that was done, and whose answer was lost.
      throw operation.isUnsure() && error !== TORN ? outcomeUnknown("disconnected") : error;
    });
    counts["agent_history.round_trips"] = reader.roundTrips();
    if (outcome.kind === "known") {
      const found = [{ key: location.overlays, field: encodeField(summaryId) }];
      if (await confirmWrite(context, operation, { location, found }))
        return { viewRevision: outcome.viewRevision };
      continue;
    }
    const write = writeOf(outcome);
    const { status, values } = await writeThread(context, operation, { location, write });
    if (status === "missing") throw threadMissing();
    if (status === "ok") return { viewRevision: numberOf(values[0]) };
    const again = JSON.stringify(write.args);
    // The view did not move on, and is refused all the same: its keys disagree.
    if (again === refused) throw threadCorrupt("views");
    refused = again;
    countRetry();
  }
}

function writeOf({ view, viewRevision, state, add, remove = "" }: CompactionChange): ThreadWrite {
  const args = [encodeField(view), String(viewRevision), state];
  return add === undefined
    ? { script: EXPAND, args: [...args, encodeField(remove)] }
    : { script: COMMIT, args: [...args, encodeField(add.id), encodeSummary(add)] };
}
