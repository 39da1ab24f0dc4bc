import { promptTokens, sessionMeter, sessionSummary } from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable, SessionSummary } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, instantText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import {
  findSessions,
  modelText,
  nameSession,
  newestOf,
  pricesOf,
  readSessions,
  rowLimit,
  shortId,
} from "../sessions.ts";
import type { NamedSession, SessionOptions } from "../sessions.ts";
import { drawTable, wrapProse } from "../table.ts";
import type { Column, Row } from "../table.ts";

const COLUMNS: readonly Column[] = [
  { head: "session" },
  { head: "first request", shrinks: "text" },
  { head: "last call, UTC", leaveOut: 3 },
  { head: "model", leaveOut: 6 },
  { head: "turns", isNumber: true, leaveOut: 4 },
  { head: "calls", isNumber: true, leaveOut: 7 },
  { head: "prompts", isNumber: true },
  { head: "cached", isNumber: true, leaveOut: 5 },
  { head: "output", isNumber: true, leaveOut: 2 },
  { head: "cost", isNumber: true },
  { head: "compacted", isNumber: true, leaveOut: 8 },
];

/** Lists sessions by project: the project with the newest session first, in each the newest first. */
export async function listSessions(context: CliContext, options: SessionOptions): Promise<void> {
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options);
  // Entries are not needed: only calls and requests are read.
  const meter = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, { meter, entries: false });
  const named = byProject(read.map((one) => nameSession(one, hide)));
  const all = named.map(({ measured, ...row }) => ({
    ...row,
    ...sessionSummary(measured, prices),
  }));
  if (options.json) {
    context.write(`${JSON.stringify({ prices: prices.asOf, sessions: all }, undefined, 2)}\n`);
    return;
  }
  const rows = all.slice(0, limit).flatMap((row, index): readonly Row[] => {
    const isFirst = row.project !== all[index - 1]?.project;
    return [...(isFirst ? [{ heading: row.project }] : []), cellsOf(row)];
  });
  context.write(drawTable(context, COLUMNS, rows));
  const hidden = all.length > limit ? ` (${limit} shown; --limit shows more)` : "";
  const results = read.flatMap((one) => one.results);
  context.write(`\n${totalsText(context, results, { prices, sessions: all.length, hidden })}`);
}

function byProject(sessions: readonly NamedSession[]): readonly NamedSession[] {
  const projects = new Map<string, NamedSession[]>();
  for (const session of sessions.toSorted((a, b) => newestOf(b) - newestOf(a))) {
    const known = projects.get(session.project) ?? [];
    known.push(session);
    projects.set(session.project, known);
  }
  return [...projects.values()].flat();
}

function cellsOf({
  sessionId,
  name,
  usage,
  ...row
}: Omit<NamedSession, "measured"> & SessionSummary): Row {
  const prompt = promptTokens(usage);
  return [
    { text: shortId(sessionId), paint: "cyan" },
    name,
    instantText(row.endedAtMs ?? row.modifiedAtMs),
    modelText(row.models),
    `${row.turns}`,
    `${row.calls}`,
    prompt === 0 ? "–" : tokensText(prompt),
    shareText(usage.cacheReadTokens, prompt),
    tokensText(usage.outputTokens),
    row.unpricedCalls === row.calls ? "–" : dollarsText(row.cost),
    `${row.compactions}`,
  ];
}

/** Says what sessions cost together, and what could not be read or priced. */
export function totalsText(
  context: CliContext,
  results: readonly MeasuredSession[],
  about: { readonly prices: PriceTable; readonly sessions: number; readonly hidden?: string },
): string {
  const { prices, sessions, hidden = "" } = about;
  const { calls, usage, cost, unpricedCalls, problems } = sessionSummary(results, prices);
  const prompt = promptTokens(usage);
  const sentences = [
    `${countText(sessions, "session")}${hidden}, ${countText(calls, "call")}: ${tokensText(prompt)} prompt tokens (${shareText(usage.cacheReadTokens, prompt)} from cache), ${tokensText(usage.outputTokens)} output, ${dollarsText(cost)} at list prices of ${prices.asOf}.`,
  ];
  if (unpricedCalls > 0) {
    const subject =
      unpricedCalls === 1 ? "1 call has a model" : `${unpricedCalls} calls have models`;
    sentences.push(`${subject} without a price: pass --prices.`);
  }
  if (problems > 0) {
    sentences.push(`${countText(problems, "line")} could not be read or stood twice.`);
  }
  return wrapProse(context, sentences);
}
