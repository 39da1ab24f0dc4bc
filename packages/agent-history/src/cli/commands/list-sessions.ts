import { basename } from "node:path";

import {
  breakCost,
  cacheReport,
  callsCost,
  promptTokens,
  sessionMeter,
  sessionSummary,
  tokenReport,
} from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable, SessionSummary } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, instantText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { findSessions, readSessions } from "../sessions.ts";
import type { Answer, ReadSession, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, paint, shortId, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";
import { lengthMeter } from "./explain-cache.ts";

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

/** Lists sessions by project, newest first. Projects are ordered by their newest session. */
export async function listSessions(
  context: CliContext,
  _wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { prices, limit } = options;
  const { read, newest } = await newestSessions(context, options);
  const rows = newest.map(({ row }) => row);
  const order = [...new Set(rows.map(({ project }) => project))];
  const all = rows.toSorted((a, b) => order.indexOf(a.project) - order.indexOf(b.project));
  return {
    json: { prices: prices.asOf, sessions: all },
    screen: () => [
      sessionTable(context, all.slice(0, limit)),
      totalsText(context, read, { prices, limit }),
    ],
  };
}

const WASTES = 3;

/** Shows the newest sessions (`--limit`), the total cost of all, and the most expensive waste in the newest. */
export async function showOverview(
  context: CliContext,
  _wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { prices, limit } = options;
  const { hide, read, newest } = await newestSessions(context, options);
  const shown = newest.slice(0, limit);
  const files = shown.map(({ session }) => session);
  const whole = files.length === 0 ? [] : await readSessions(context, files, lengthMeter);
  const wastes = whole
    .flatMap((one) => wastesOf(one, hide, prices))
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, WASTES);
  const rows = shown.map(({ row }) => row);
  const page = `agent-history open ${shortId(rows[0]?.sessionId ?? "")}`;
  const lines = wastes.map(
    ({ what, cost, command }) => `${dollarsText(cost)}: ${what}. Run ${command}.`,
  );
  return {
    json: { prices: prices.asOf, sessions: rows, wastes },
    screen: () => [
      `${paint(context, "Newest sessions", "bold")}\n${sessionTable(context, rows)}`,
      totalsText(context, read, { prices }),
      lines.length === 0
        ? undefined
        : `${paint(context, "Most expensive waste in these sessions", "bold")}\n${wrapProse(context, lines)}`,
      adviceText(
        context,
        `To list all sessions by project, run agent-history sessions. To see one as a page, run ${page.trim()}.`,
      ),
    ],
  };
}

/** Reads the calls and requests of all sessions, newest first; entries are not counted. */
async function newestSessions(context: CliContext, options: SessionOptions) {
  const { prices } = options;
  const hide = redactor(options.redact);
  const found = await findSessions(context, options, undefined);
  const meter = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, meter, { entries: false });
  const listed = read.map(({ session, results }) => {
    const { cwd } = results[0]?.facts ?? {};
    const summary = sessionSummary(results, prices);
    const row: ListedSession = {
      project: hide.path(cwd ?? session.project ?? basename(session.files[0]?.path ?? "")),
      sessionId: hide.session(session.sessionId),
      name: nameOf(results, hide),
      lastMs: summary.endedAtMs ?? session.modifiedAtMs,
      ...summary,
    };
    return { session, row };
  });
  const newest = listed.toSorted((a, b) => b.row.lastMs - a.row.lastMs);
  return { hide, read, newest };
}

/** Names a session after its title or first request. */
function nameOf([main]: readonly MeasuredSession[], hide: Redactor): string {
  const title = main?.facts.title ?? main?.title;
  return title === undefined ? "(no request)" : hide.text(title);
}

/** Draws sessions under their working folders. */
function sessionTable(context: CliContext, sessions: readonly ListedSession[]): string {
  return drawTable(context, COLUMNS, sessions, ({ project }) => project);
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

/** Avoidable tokens that were paid for, and the command that explains them. */
interface Waste {
  readonly what: string;
  readonly cost: number;
  readonly command: string;
}

function wastesOf(
  { session, results }: ReadSession<MeasuredSession>,
  hide: Redactor,
  prices: PriceTable,
): readonly Waste[] {
  const id = shortId(hide.session(session.sessionId));
  const name = nameOf(results, hide);
  const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  return results.flatMap((measured) => {
    const { breaks, sentAgainTokens } = cacheReport([measured]);
    const { repeated, heaviest } = tokenReport([measured], { heaviest: 1 });
    const price = promptPrice(measured, prices);
    const repeats = repeated.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
    const times = repeated.reduce((sum, one) => sum + one.times - 1, 0);
    const wastes: readonly Waste[] = [
      {
        what: `${countText(breaks.length, "cache break")} in “${short}” sent ${tokensText(sentAgainTokens)} tokens again`,
        cost: breaks.reduce((sum, one) => sum + (breakCost(one, prices) ?? 0), 0),
        command: `agent-history cache ${id}`,
      },
      {
        what: `${countText(times, "duplicate result")} in “${short}” added ${tokensText(repeats)} prompt tokens`,
        cost: repeats * price,
        command: `agent-history tokens ${id}`,
      },
      ...heaviest.map(({ tokens, sent }) => ({
        what: `one entry of ${tokensText(tokens)} tokens in “${short}” was sent in ${countText(sent, "call")}`,
        cost: tokens * sent * price,
        command: `agent-history tokens ${id}`,
      })),
    ];
    return wastes.filter(({ cost }) => cost > 0);
  });
}

/** Returns the average price of a session's prompt tokens, in dollars per token. */
function promptPrice({ calls }: MeasuredSession, prices: PriceTable): number {
  const prompts = calls.map(({ model, usage }) => ({
    model,
    usage: { ...usage, outputTokens: 0 },
  }));
  const tokens = prompts.reduce((sum, { usage }) => sum + promptTokens(usage), 0);
  return tokens === 0 ? 0 : callsCost(prompts, prices).cost / tokens;
}
