import { tiktokenCounter } from "@agent-history/tokens";
import { joinTokenReports, sessionMeter, tokenReport } from "@agent-history/transcripts";
import type { MeasuredEntry, TokenGroup, TokenReport } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { findSessions, pricesOf, readSessions, rowLimit, shortId } from "../sessions.ts";
import type { SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, shareBar, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";
import { totalsText } from "./list-sessions.ts";

/** Says where the tokens of sessions went. */
export async function explainTokens(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<void> {
  const heaviest = rowLimit(options);
  const prices = await pricesOf(options);
  const found = await findSessions(context, options, wanted);
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const meter = () => sessionMeter(counter);
  const read = await readSessions(context, found, { meter, entries: true });
  const hide = redactor(options.redact === true);
  const reports = read.flatMap(({ session, results }) => {
    const sessionId = hide.session(session.sessionId);
    return results.map((one) => named(hidden(tokenReport(one, { heaviest }), hide), sessionId));
  });
  const report = joinTokenReports(reports, { heaviest });
  if (options.json) {
    context.write(`${JSON.stringify({ sessions: read.length, ...report }, undefined, 2)}\n`);
    return;
  }
  const results = read.flatMap((one) => one.results);
  context.write(totalsText(context, results, { prices, sessions: read.length }));
  context.write(wrapProse(context, [unseenText(report)]));
  context.write(tokenTables(context, report, heaviest));
  const advice = adviceOf(report);
  if (advice !== undefined) context.write(adviceText(context, advice));
}

/** Says of which session a turn and an entry are: of several, they stand in one table. */
function named(report: TokenReport, sessionId: string): TokenReport {
  const byTurn = report.byTurn.map((turn) => ({
    ...turn,
    name: `${shortId(sessionId)} ${turn.name}`,
  }));
  return { ...report, byTurn, heaviest: report.heaviest.map((entry) => ({ ...entry, sessionId })) };
}

function hidden(report: TokenReport, hide: Redactor): TokenReport {
  const entry = (one: MeasuredEntry): MeasuredEntry => ({
    ...one,
    id: hide.id(one.id),
    ...(one.callId !== undefined && { callId: hide.id(one.callId) }),
    files: one.files.map(hide.path),
    label: hide.text(one.label),
  });
  return {
    ...report,
    byFile: report.byFile.map((group) => ({ ...group, name: hide.path(group.name) })),
    heaviest: report.heaviest.map(entry),
    repeated: report.repeated.map((one) => ({ ...one, files: one.files.map(hide.path) })),
  };
}

/** Says how much of the prompts stands in no log. */
function unseenText({ promptTokens, sentTokens }: TokenReport): string {
  if (promptTokens === 0) return "The logs report no prompt tokens: entries are counted once.";
  const rest = shareText(Math.max(0, promptTokens - sentTokens), promptTokens);
  return `${rest} of all prompt tokens are system prompt, tools and what the log does not hold.`;
}

/** Draws where tokens went, `limit` rows of each table. Sent: an entry counts in each call that sent it. */
function tokenTables(context: CliContext, report: TokenReport, limit: number): string {
  const { promptTokens } = report;
  const part = (head: string, groups: readonly TokenGroup[], shrinks: "path" | "text"): string => {
    if (groups.length === 0) return "";
    const rows = groups
      .slice(0, limit)
      .map(({ name, entries, tokens, sentTokens }) => [
        name,
        `${entries}`,
        tokensText(tokens),
        tokensText(sentTokens),
        shareText(sentTokens, promptTokens),
        promptTokens === 0 ? "" : shareBar(sentTokens / promptTokens),
      ]);
    return `\n${drawTable(context, groupColumns(head, shrinks), rows)}`;
  };
  return [
    part("by role", report.byRole, "text"),
    part("results by tool", report.byTool, "text"),
    part("results by file", report.byFile, "path"),
    part("by turn", report.byTurn, "text"),
    heaviestTable(context, report),
    repeatedTable(context, report, limit),
  ].join("");
}

function groupColumns(head: string, shrinks: "path" | "text"): readonly Column[] {
  return [
    { head, shrinks },
    { head: "entries", isNumber: true, leaveOut: 2 },
    { head: "tokens", isNumber: true },
    { head: "sent", isNumber: true },
    { head: "of all prompts", isNumber: true },
    { head: "", leaveOut: 1 },
  ];
}

const HEAVIEST: readonly Column[] = [
  { head: "heaviest entries", shrinks: "text" },
  { head: "session", leaveOut: 2 },
  { head: "line", isNumber: true, leaveOut: 1 },
  { head: "tokens", isNumber: true },
  { head: "calls", isNumber: true },
  { head: "of all prompts", isNumber: true },
];

function heaviestTable(context: CliContext, { heaviest, promptTokens }: TokenReport): string {
  const rows = heaviest.map((entry) => [
    entryName(entry),
    "sessionId" in entry ? shortId(String(entry.sessionId)) : "",
    `${entry.line}`,
    tokensText(entry.tokens),
    `${entry.sent}`,
    shareText(entry.tokens * entry.sent, promptTokens),
  ]);
  return rows.length === 0 ? "" : `\n${drawTable(context, HEAVIEST, rows)}`;
}

function entryName({ toolName, role, label }: MeasuredEntry): string {
  return `${toolName ?? role}: ${label}`;
}

const REPEATED: readonly Column[] = [
  { head: "the same result again", shrinks: "text" },
  { head: "times", isNumber: true },
  { head: "sent again", isNumber: true },
  { head: "of all prompts", isNumber: true },
];

function repeatedTable(
  context: CliContext,
  { repeated, promptTokens }: TokenReport,
  limit: number,
): string {
  const rows = repeated
    .slice(0, limit)
    .map(({ toolName, files, times, sentTokens }) => [
      `${toolName}: ${files[0] ?? ""}`.replace(/: $/, ""),
      `${times}`,
      tokensText(sentTokens),
      shareText(sentTokens, promptTokens),
    ]);
  return rows.length === 0 ? "" : `\n${drawTable(context, REPEATED, rows)}`;
}

/** What would help most: results that repeat, else the heaviest entry. */
function adviceOf({ repeated, heaviest, promptTokens }: TokenReport): string | undefined {
  const again = repeated.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
  const [most] = repeated;
  if (most !== undefined && again > promptTokens / 100) {
    const file = most.files[0] === undefined ? "" : ` of ${most.files[0]}`;
    return `Results that repeat an earlier one are ${shareText(again, promptTokens)} of all prompts; the most expensive, ${most.toolName}${file}, came ${countText(most.times, "time")}. Clear old results, or ask for the part that changed.`;
  }
  const [first] = heaviest;
  if (first === undefined || promptTokens === 0) return undefined;
  const share = shareText(first.tokens * first.sent, promptTokens);
  return `The heaviest entry (line ${first.line}, ${tokensText(first.tokens)} tokens in ${countText(first.sent, "call")}) is ${share} of all prompts: read a part of it, or search it.`;
}
