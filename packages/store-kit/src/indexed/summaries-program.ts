import type { SummaryEntry } from "@agent-history/core";

import { answered, fetchRound } from "./fetch-round.ts";
import { summariesOf } from "./read-outline.ts";
import type { StoreProgram } from "./store-program.ts";

/**
 * Reads all summaries that stand in a view, in the order of their commits: what `listSummaries` answers.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` where one of them cannot be read.
 */
export function* summariesProgram(): StoreProgram<readonly SummaryEntry[]> {
  const [answer] = yield* fetchRound([{ kind: "overlays" }]);
  return summariesOf(answered("summaries", answer).summaries);
}
