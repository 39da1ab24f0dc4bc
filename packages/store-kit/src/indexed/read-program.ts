import type { HistoryQuery, ReadResult } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";

import { planRead } from "./plan-read.ts";
import type { ReadPlan } from "./plan-read.ts";
import { readEntries } from "./read-entries.ts";
import { EVERYTHING, readLog } from "./read-log.ts";
import { namedIds, readNamed } from "./read-named.ts";
import { OUT_OF_SIGHT, ROWS_MISSING, readReferences } from "./read-references.ts";
import { rewoundAt } from "./rewound-at.ts";
import type { StoreProgram } from "./store-program.ts";

/** What a read gave, and how it was answered. */
export interface ReadOutcome {
  readonly result: ReadResult;
  /** Why the whole log was read, where the query did not ask for all of it. */
  readonly fallback?: string;
}

/**
 * Answers a query from the references, and from the whole log where these cannot answer it exactly.
 *
 * The result is that of `selectEntries` over the log with the summaries of the query's view. What the built-in filters ask, and
 * tails, and entries by id, take two rounds; a view that shows hundreds of entries may take one more, and so may what came since an entry (`after`) where that is
 * more than 16 rows of the index. Strange histories take the whole log.
 *
 * @throws `HistoryError` with code `INVALID_QUERY` if a limit is not a count, `NOT_FOUND` where `after` or `before` is not there, `HISTORY_REWOUND` where `after`
 * was replaced.
 */
export function* readProgram(options: {
  readonly query?: HistoryQuery | undefined;
  readonly originals?: boolean | undefined;
}): StoreProgram<ReadOutcome> {
  const { query = { clauses: [{}] }, originals = false } = options;
  try {
    return yield* readQuery(query, originals);
  } catch (error) {
    const { after } = query;
    if (after === undefined || !isHistoryError(error, "NOT_FOUND")) throw error;
    throw (yield* rewoundAt(after)) ?? error;
  }
}

function* readQuery(query: HistoryQuery, originals: boolean): StoreProgram<ReadOutcome> {
  // Refuses what is no query, before anything is read.
  const { before: _, after: __, ...unbounded } = query;
  selectEntries([], unbounded);
  const ids = namedIds(query);
  const named = ids && (yield* readNamed(query, ids, originals));
  if (named !== undefined) return { result: named };
  const plan = planRead(query);
  const found = typeof plan === "string" ? plan : yield* readByReferences(query, plan, originals);
  if (typeof found !== "string") return { result: found };
  if (found === OUT_OF_SIGHT && query.after !== undefined) {
    const rewound = yield* rewoundAt(query.after, { isGone: true });
    if (rewound !== undefined) throw rewound;
  }
  const read = yield* readLog(query, originals);
  const result = found === ROWS_MISSING ? withLostIndex(read) : read;
  return found === EVERYTHING ? { result } : { result, fallback: found };
}

/** The result is right, but needed the whole log: reported as a problem. */
function withLostIndex(result: ReadResult): ReadResult {
  const reason = "Rows of the index are missing; the log was read instead.";
  const problem = { position: result.entryCount, kind: "broken", reason } as const;
  return { ...result, problems: [...result.problems, problem] };
}

/** Reads what references show, or gives the reason why they do not answer. */
function* readByReferences(
  query: HistoryQuery,
  plan: ReadPlan,
  originals: boolean,
): StoreProgram<ReadResult | string> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = yield* readReferences(query, plan, originals);
    if (found.kind === "unsure") return found.reason;
    const result = found.kind === "found" ? yield* readEntries(found) : undefined;
    if (result !== undefined) return result;
  }
  return "a thread that moves on all the time";
}

const MAX_TRIES = 3;
