import type { ReplaySummary } from "@agent-history/transcripts";

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
  { head: "needed kept", isNumber: true },
];

/** Draws replayed sessions. */
export function replayTable(
  context: CliContext,
  rows: readonly ReplayRow[],
  contextTokens: number,
): string {
  const cells = rows.map(
    ({ sessionId, calls, sent, replayed, droppedEntries, needed, ...kept }) => [
      sessionId.slice(0, 10),
      `${calls}`,
      tokensText(sent.promptTokens),
      shareText(sent.cachedTokens, sent.promptTokens),
      dollarsText(sent.cost),
      tokensText(replayed.promptTokens),
      shareText(replayed.cachedTokens, replayed.promptTokens),
      dollarsText(replayed.cost),
      `${droppedEntries}`,
      needed === 0 ? "–" : `${kept.keptByReplay} not ${kept.keptBySummaries} of ${needed}`,
    ],
  );
  const about = `Replayed in a window of ${tokensText(contextTokens)} tokens: what our fit with recall would have sent at each call, the system prompt and tools of the first call included; counts are scaled to what the log reports. Needed kept: of the paths that were needed after the session's own compactions, those that the replayed prompt names, not those that the summary does.`;
  return `${drawTable(context, COLUMNS, cells)}\n${wrapProse(context.columns, [about])}`;
}
