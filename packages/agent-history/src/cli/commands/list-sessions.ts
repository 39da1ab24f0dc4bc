import { promptTokens, sessionMeter, sessionSummary } from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable, SessionSummary } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, instantText, shareText, tokensText } from "../number-text.ts";
import { modelText, nameSession, newestOf, openSessions, readSessions } from "../sessions.ts";
import type { Answer, NamedSession, SessionOptions } from "../sessions.ts";
import { drawTable, idCell, numbers, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

type ListedSession = Omit<NamedSession, "measured"> & SessionSummary;

const COLUMNS: readonly Column<ListedSession>[] = [
  texts("session", ({ sessionId }) => idCell(sessionId)),
  texts("first request", ({ name }) => name, { shrinks: "text" }),
  texts("last call (UTC)", (row) => instantText(row.endedAtMs ?? row.modifiedAtMs), {
    leaveOut: 3,
  }),
  texts("model", ({ models }) => modelText(models), { leaveOut: 6 }),
  numbers("turns", ({ turns }) => turns, 4),
  numbers("calls", ({ calls }) => calls, 7),
  numbers("prompt", ({ usage }) => tokensText(promptTokens(usage) || undefined)),
  numbers("cached", ({ usage }) => shareText(usage.cacheReadTokens, promptTokens(usage)), 5),
  numbers("output", ({ usage }) => tokensText(usage.outputTokens), 2),
  numbers("cost", costText),
  numbers("compactions", ({ compactions }) => compactions, 8),
];

/** Lists sessions by project, newest first. Projects are ordered by their newest session. */
export async function listSessions(
  context: CliContext,
  _wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { limit, prices, hide, found } = await openSessions(context, options);
  // Only calls and requests are needed, so entries are not counted.
  const meter = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, { meter, entries: false });
  const named = byProject(read.map((one) => nameSession(one, hide)));
  const all = named.map(({ measured, ...row }) => ({
    ...row,
    ...sessionSummary(measured, prices),
  }));
  const hidden = all.length > limit ? ` (${limit} shown; to show more, pass --limit)` : "";
  const results = read.flatMap((one) => one.results);
  return {
    json: { prices: prices.asOf, sessions: all },
    screen: () => [
      drawTable(context, COLUMNS, all.slice(0, limit), ({ project }, before) =>
        project === before?.project ? undefined : project,
      ),
      totalsText(context, results, { prices, sessions: all.length, hidden }),
    ],
  };
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

/** Formats the cost of a session; empty if no call has a price. */
export function costText({ unpricedCalls, calls, cost }: SessionSummary): string {
  return unpricedCalls === calls ? "–" : dollarsText(cost);
}

/** Reports the total cost of sessions, and what could not be read or priced. */
export function totalsText(
  context: CliContext,
  results: readonly MeasuredSession[],
  about: { readonly prices: PriceTable; readonly sessions: number; readonly hidden?: string },
): string {
  const { prices, sessions, hidden = "" } = about;
  const { calls, usage, cost, unpricedCalls, problems } = sessionSummary(results, prices);
  const prompt = promptTokens(usage);
  const sentences = [
    calls === 0
      ? `${countText(sessions, "session")}${hidden}, without recorded model calls.`
      : `${countText(sessions, "session")}${hidden}, ${countText(calls, "call")}: ${tokensText(prompt)} prompt tokens (${shareText(usage.cacheReadTokens, prompt)} from cache), ${tokensText(usage.outputTokens)} output tokens, ${dollarsText(cost)} at list prices as of ${prices.asOf}.`,
  ];
  if (unpricedCalls > 0) {
    sentences.push(
      `${countText(unpricedCalls, "call")} used a model without a list price. Pass --prices to include the cost.`,
    );
  }
  if (problems > 0)
    sentences.push(`${countText(problems, "line is", "lines are")} damaged or duplicated.`);
  return wrapProse(context, sentences);
}
