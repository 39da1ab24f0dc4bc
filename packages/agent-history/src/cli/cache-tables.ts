import { rewrittenTokens } from "@agent-history/transcripts";
import type { CacheBreak } from "@agent-history/transcripts";

import type { CliContext } from "./cli-context.ts";
import { drawTable } from "./draw-table.ts";
import type { Column } from "./draw-table.ts";
import { dollarsText, instantText, spanText, tokensText } from "./number-text.ts";

/** A break, its session and its price. */
export interface PricedBreak extends CacheBreak {
  readonly sessionId: string;
  readonly cost?: number;
}

const CAUSES: readonly Column[] = [
  { head: "cause" },
  { head: "breaks", isNumber: true },
  { head: "written again", isNumber: true },
  { head: "cost", isNumber: true },
  { head: "avoidable", isNumber: true },
];

const BREAKS: readonly Column[] = [
  { head: "session", leaveOut: 3 },
  { head: "line", isNumber: true },
  { head: "when, UTC", leaveOut: 2 },
  { head: "cause" },
  { head: "idle", isNumber: true },
  { head: "first changed", shrinks: "text", leaveOut: 4 },
  { head: "written again", isNumber: true },
  { head: "cost", isNumber: true },
  { head: "avoidable", leaveOut: 1 },
];

/** Draws breaks by cause, and the most expensive ones. */
export function cacheTables(
  context: CliContext,
  breaks: readonly PricedBreak[],
  limit: number,
): string {
  if (breaks.length === 0) return "";
  const dearest = breaks
    .toSorted((a, b) => rewrittenTokens(b) - rewrittenTokens(a))
    .slice(0, limit);
  return [
    "",
    drawTable(context, CAUSES, causeRows(breaks)),
    drawTable(context, BREAKS, dearest.map(breakCells)),
  ].join("\n");
}

function causeRows(breaks: readonly PricedBreak[]): readonly (readonly string[])[] {
  const causes = new Set(breaks.map(({ cause }) => cause));
  return [...causes]
    .map((cause) => [cause, breaks.filter((one) => one.cause === cause)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([cause, some]) => [
      cause,
      `${some.length}`,
      tokensText(some.reduce((sum, one) => sum + rewrittenTokens(one), 0)),
      dollarsText(some.reduce((sum, { cost = 0 }) => sum + cost, 0)),
      cause === "unknown" ? "–" : `${some.filter(({ isAvoidable }) => isAvoidable).length}`,
    ]);
}

function breakCells(one: PricedBreak): readonly string[] {
  const { sessionId, call, cause, idleMs, firstChangedLine, isAvoidable, cost } = one;
  const changed = firstChangedLine === undefined ? "nothing" : `line ${firstChangedLine}`;
  return [
    sessionId.slice(0, 10),
    `${call.line}`,
    instantText(call.answeredAtMs),
    call.providerReason ?? cause,
    idleMs === undefined ? "" : spanText(idleMs),
    cause === "unknown" || cause === "model" ? "not in the log" : changed,
    tokensText(rewrittenTokens(one)),
    dollarsText(cost),
    isAvoidable === undefined ? "–" : isAvoidable ? "yes" : "no",
  ];
}
