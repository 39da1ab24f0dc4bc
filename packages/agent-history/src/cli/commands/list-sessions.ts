import { basename } from "node:path";

import { promptTokens, sessionMeter, sessionSummary } from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable, SessionSummary } from "@agent-history/transcripts";

import type { Answer, CliContext } from "../cli-context.ts";
import { countText, dollarsText, instantText, shareText, tokensText } from "../number-text.ts";
import { readSessions } from "../sessions.ts";
import type { ReadSession, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, shortId, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

/** A session with its display name and sums. */
interface ListedSession extends SessionSummary {
  /** The working folder. */
  readonly project: string;
  readonly sessionId: string;
  /** The title, else the first request. */
  readonly name: string;
  /** The time of the last call, else the modification time of the file. Copied files have a new modification time. */
  readonly lastMs: number;
}

const COLUMNS: readonly Column<ListedSession>[] = [
  texts("session", ({ sessionId }) => shortId(sessionId)),
  texts("first request", ({ name }) => name, "end"),
  texts("last call", (row) => instantText(row.lastMs).slice(0, 10)),
  numbers("turns", ({ turns }) => turns),
  numbers("prompt", ({ usage }) => tokensText(promptTokens(usage) || undefined)),
  numbers("cached", ({ usage }) => shareText(usage.cacheReadTokens, promptTokens(usage))),
  numbers("cost", ({ unpricedCalls, calls, cost }) =>
    unpricedCalls === calls ? "–" : dollarsText(cost),
  ),
];

/** Lists sessions by project, newest first, and what all cost together. Projects are ordered by their newest session. */
export async function listSessions(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { prices, limit } = options;
  // Only calls and requests are read; entries are not counted.
  const meter = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, wanted, { ...options, entries: false }, meter);
  const sessions = read.map((one) => listed(one, prices)).toSorted((a, b) => b.lastMs - a.lastMs);
  const newest = sessions.slice(0, limit);
  const projects = newest.map(({ project }) => project);
  const byProject = newest.toSorted(
    (a, b) => projects.indexOf(a.project) - projects.indexOf(b.project),
  );
  const page = `agent-history open ${shortId(sessions[0]?.sessionId ?? "")}`.trim();
  return {
    json: { prices: prices.asOf, sessions },
    screen: () => [
      drawTable(context, COLUMNS, byProject, ({ project }) => project),
      totalsText(context, read, { prices, limit }),
      adviceText(
        context,
        `To see where the tokens go, run agent-history tokens; to see what broke the prompt cache, run agent-history cache; to see a session as a page, run ${page}.`,
      ),
    ],
  };
}

function listed(
  { session, results }: ReadSession<MeasuredSession>,
  prices: PriceTable,
): ListedSession {
  const [main] = results;
  const summary = sessionSummary(results, prices);
  return {
    project: main?.facts.cwd ?? session.project ?? basename(session.files[0]?.path ?? ""),
    sessionId: session.sessionId,
    name: main?.facts.title ?? main?.title ?? "(no request)",
    lastMs: summary.endedAtMs ?? session.modifiedAtMs,
    ...summary,
  };
}

/** Reports the total cost of sessions, and what could not be read or priced. */
export function totalsText(
  context: CliContext,
  read: readonly ReadSession<MeasuredSession>[],
  { prices, limit = Infinity }: { readonly prices: PriceTable; readonly limit?: number },
): string {
  const results = read.flatMap((one) => one.results);
  const { calls, usage, cost, unpricedCalls, problems } = sessionSummary(results, prices);
  const prompt = promptTokens(usage);
  const hidden = read.length > limit ? ` (${limit} shown; to show more, pass --limit)` : "";
  const sessions = `${countText(read.length, "session")}${hidden}`;
  const sentences = [
    calls === 0
      ? `${sessions}, without recorded model calls.`
      : `${sessions}, ${countText(calls, "call")}: ${tokensText(prompt)} prompt tokens (${shareText(usage.cacheReadTokens, prompt)} from cache), ${tokensText(usage.outputTokens)} output tokens, ${dollarsText(cost)} at list prices as of ${prices.asOf}.`,
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
