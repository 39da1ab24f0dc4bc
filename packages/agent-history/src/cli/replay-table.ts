import { joinReplaySummaries } from "@agent-history/transcripts";
import type { ReplaySummary, SentTokens } from "@agent-history/transcripts";

import type { CliContext } from "./cli-context.ts";
import { drawTable } from "./draw-table.ts";
import type { Column } from "./draw-table.ts";
import { dollarsText, shareText, tokensText } from "./number-text.ts";
import { wrapProse } from "./wrap-prose.ts";

/** A replayed session and its name. */
export interface ReplayRow extends ReplaySummary {
  readonly sessionId: string;
}

const COLUMNS: readonly Column[] = [
  { head: "session" },
  { head: "calls", isNumber: true, leaveOut: 3 },
  { head: "sent", isNumber: true },
  { head: "cached", isNumber: true, leaveOut: 1 },
  { head: "cost", isNumber: true },
  { head: "replayed", isNumber: true },
  { head: "cached", isNumber: true, leaveOut: 1 },
  { head: "cost", isNumber: true },
  { head: "dropped", isNumber: true, leaveOut: 2 },
  { head: "needed", isNumber: true },
  { head: "in replay", isNumber: true },
  { head: "in summary", isNumber: true },
];

/** Draws replayed sessions, `limit` of them, and their sums. */
export function replayTable(
  context: CliContext,
  rows: readonly ReplayRow[],
  { contextTokens, limit }: { readonly contextTokens: number; readonly limit: number },
): string {
  const { calls, sent, replayed, needed, ...named } = joinReplaySummaries(rows);
  const sums = [
    `${rows.length} sessions, ${calls} calls, in a window of ${tokensText(contextTokens)} tokens.`,
    `Sent: ${sentText(sent)}. Replayed: ${sentText(replayed)}.`,
  ];
  if (needed > 0) {
    sums.push(
      `Of ${needed} paths that were needed after the sessions' own compactions, the summaries name ${named.keptBySummaries}, the replayed prompts ${named.keptByReplay}.`,
    );
  }
  const shown = rows.slice(0, limit).map(cellsOf);
  return `${wrapProse(context.columns, sums)}\n${drawTable(context, COLUMNS, shown)}\n${wrapProse(context.columns, [ABOUT])}`;
}

const ABOUT =
  "Replayed: what our fit with recall and summaries would have sent at each call, the system prompt and tools of the first call included; counts are scaled to what the log reports. Needed: paths that were needed after the session's own compactions, how many of them the replayed prompt names, and how many the tool's summary (where that is encrypted, the requests beside it).";

function sentText({ promptTokens, cachedTokens, cost }: SentTokens): string {
  return `${tokensText(promptTokens)} prompt tokens, ${shareText(cachedTokens, promptTokens)} cached, ${dollarsText(cost)}`;
}

function cellsOf({ sessionId, calls, sent, replayed, ...row }: ReplayRow): readonly string[] {
  const named =
    row.needed === 0 ? ["", "", ""] : [row.needed, row.keptByReplay, row.keptBySummaries];
  return [
    sessionId.slice(0, 10),
    `${calls}`,
    tokensText(sent.promptTokens),
    shareText(sent.cachedTokens, sent.promptTokens),
    dollarsText(sent.cost),
    tokensText(replayed.promptTokens),
    shareText(replayed.cachedTokens, replayed.promptTokens),
    dollarsText(replayed.cost),
    `${row.droppedEntries}`,
    ...named.map(String),
  ];
}
