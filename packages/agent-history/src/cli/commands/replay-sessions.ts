import { HistoryError } from "@agent-history/core";
import { joinReplaySummaries, replaySummary } from "@agent-history/transcripts";
import type { ReplaySummary, SentTokens } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import { replayOne } from "../replay-one.ts";
import {
  findSessions,
  itemCollector,
  pricesOf,
  readSessions,
  rowLimit,
  shortId,
} from "../sessions.ts";
import type { SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, wrapProse } from "../table.ts";
import type { Column, Row } from "../table.ts";

export interface ReplayCommandOptions extends SessionOptions {
  readonly window: string;
}

/** A replayed session and its name. */
interface ReplayedRow extends ReplaySummary {
  readonly sessionId: string;
}

/** Says what our fit would have sent at each call of sessions, beside what was sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  options: ReplayCommandOptions,
): Promise<void> {
  const contextTokens = windowOption(options.window);
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options, wanted);
  const rows: ReplayedRow[] = [];
  for (const [index, session] of found.entries()) {
    if (context.isLive) context.tell(`\rreplaying ${index + 1} of ${found.length}`);
    const main = { ...session, files: session.files.slice(0, 1) };
    const [read] = await readSessions(context, [main], { meter: itemCollector, entries: true });
    const replayed = await replayOne(read?.results[0] ?? [], contextTokens);
    const row = replayed && replaySummary(replayed, prices);
    // A log without prompt tokens has nothing to compare with.
    if (row && row.sent.promptTokens > 0) {
      rows.push({ sessionId: hide.session(session.sessionId), ...row });
    }
  }
  rows.sort((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  if (context.isLive) context.tell("\r\u001B[2K");
  if (options.json) {
    const json = { contextTokens, prices: prices.asOf, sessions: rows };
    context.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return;
  }
  const { calls, sent, replayed, needed, ...named } = joinReplaySummaries(rows);
  const sums = [
    `${countText(rows.length, "session")}, ${countText(calls, "call")}, in a window of ${tokensText(contextTokens)} tokens.`,
    `Sent: ${sentText(sent)}. Replayed: ${sentText(replayed)}.`,
  ];
  if (needed > 0) {
    sums.push(
      `Of ${countText(needed, "path")} that were needed after the sessions' own compactions, the summaries name ${named.keptBySummaries}, the replayed prompts ${named.keptByReplay}.`,
    );
  }
  context.write(wrapProse(context, sums));
  context.write(`\n${drawTable(context, COLUMNS, rows.slice(0, limit).map(cellsOf))}`);
  context.write(`\n${wrapProse(context, [ABOUT])}`);
  const saved = sent.cost - replayed.cost;
  const advice =
    saved > 0
      ? `This fit would have saved ${dollarsText(saved)} of ${dollarsText(sent.cost)}. Other windows: --window 50000, --window 200000.`
      : "This fit would have saved nothing here. Other windows: --window 50000, --window 200000.";
  context.write(adviceText(context, advice));
}

function windowOption(window: string): number {
  const contextTokens = Number(window);
  if (Number.isInteger(contextTokens) && contextTokens > 0) return contextTokens;
  throw new HistoryError(
    `Expected --window to be a number of tokens, such as 100000, got ${window}.`,
    { code: "INVALID_OPTION", details: { option: "window" } },
  );
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

const ABOUT =
  "Replayed: what our fit with recall and summaries would have sent at each call, the system prompt and tools of the first call included; counts are scaled to what the log reports. Needed: paths that were needed after the session's own compactions, how many of them the replayed prompt names, and how many the tool's summary (where that is encrypted, the requests beside it).";

function sentText({ promptTokens, cachedTokens, cost }: SentTokens): string {
  return `${tokensText(promptTokens)} prompt tokens, ${shareText(cachedTokens, promptTokens)} cached, ${dollarsText(cost)}`;
}

function cellsOf({ sessionId, calls, sent, replayed, ...row }: ReplayedRow): Row {
  const named =
    row.needed === 0 ? ["", "", ""] : [row.needed, row.keptByReplay, row.keptBySummaries];
  const isCheaper = replayed.cost < sent.cost;
  return [
    { text: shortId(sessionId), paint: "cyan" },
    `${calls}`,
    tokensText(sent.promptTokens),
    shareText(sent.cachedTokens, sent.promptTokens),
    dollarsText(sent.cost),
    tokensText(replayed.promptTokens),
    shareText(replayed.cachedTokens, replayed.promptTokens),
    { text: dollarsText(replayed.cost), paint: isCheaper ? "green" : "red" },
    `${row.droppedEntries}`,
    ...named.map(String),
  ];
}
