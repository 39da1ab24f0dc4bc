import type { HistoryStore } from "@agent-history/core";
import {
  readProgram,
  runProgramAsync,
  summariesProgram,
  WHOLE_LOG_READS,
} from "@agent-history/store-kit/indexed";

import { asksAllSince, notedEnd, rowsAhead } from "./read-ahead.ts";
import { runVerb } from "./run-verb.ts";
import type { StoreContext } from "./store-context.ts";
import { threadReader } from "./thread-reader.ts";
import { locateThread } from "./tree-keys.ts";

/** Makes `read`: a program of the store kit, each of its rounds one round trip. */
export function readVerb(context: StoreContext): HistoryStore["read"] {
  return (threadId, { query, originals, signal } = {}) =>
    runVerb(context, { verb: "read", threadId, signal }, async ({ operation, counts }) => {
      const location = locateThread(context.namespace, threadId);
      const { after } = query ?? {};
      const isAll = query !== undefined && asksAllSince(query);
      const end = isAll && after !== undefined ? context.ends.of(threadId, after) : undefined;
      const ahead = end === undefined ? undefined : rowsAhead(location, end);
      const reader = threadReader(context, operation, location, ahead);
      const program = readProgram({
        ...(query === undefined ? {} : { query }),
        ...(originals === undefined ? {} : { originals }),
      });
      const noted = notedEnd(reader.answer);
      const { result, fallback } = await runProgramAsync(program, noted.answer, signal);
      const [last, position] = [result.entries.at(-1), noted.position()];
      if (last !== undefined && position !== undefined) {
        context.ends.see(threadId, last.id, position);
      }
      counts["agent_history.entries"] = result.entries.length;
      counts["agent_history.problems"] = result.problems.length;
      counts["agent_history.round_trips"] = reader.roundTrips();
      counts["agent_history.commands"] = reader.commands();
      counts[WHOLE_LOG_READS] = fallback === undefined ? 0 : 1;
      return result;
    });
}

/** Makes `listSummaries`. */
export function summariesVerb(context: StoreContext): HistoryStore["listSummaries"] {
  return (threadId, { signal } = {}) =>
    runVerb(context, { verb: "listSummaries", threadId, signal }, async ({ operation }) => {
      const reader = threadReader(context, operation, locateThread(context.namespace, threadId));
      return runProgramAsync(summariesProgram(), reader.answer, signal);
    });
}
