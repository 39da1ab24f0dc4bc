import {
  breakCost,
  cacheReport,
  sessionMeter,
  sessionSummary,
  tokenReport,
} from "@agent-history/transcripts";
import type { MeasuredSession, PriceTable } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, instantText, tokensText } from "../number-text.ts";
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
import { adviceText, drawTable, hangingText, paint, shareBar } from "../table.ts";
import type { Column, Row } from "../table.ts";
import { LENGTH_COUNTER } from "./explain-cache.ts";
import { listSessions, totalsText } from "./list-sessions.ts";

const WASTES = 3;

/** Shows the newest sessions (`--limit`), what all cost together, and the most expensive wastes among the newest. */
export async function showOverview(context: CliContext, options: SessionOptions): Promise<void> {
  if (options.json) return listSessions(context, options);
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options);
  const brief = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, { meter: brief, entries: false });
  const newest = read
    .map((one) => ({ ...nameSession(one, hide), files: one.session }))
    .toSorted((a, b) => newestOf(b) - newestOf(a))
    .slice(0, limit);
  const costs = newest.map(({ measured }) => sessionSummary(measured, prices).cost);
  const most = costs.reduce((a, b) => Math.max(a, b), 0);
  const rows = newest.map((session, index) => rowOf(session, costs[index] ?? 0, most));
  context.write(`${paint(context, "Newest sessions", "bold")}\n`);
  context.write(drawTable(context, COLUMNS, rows));
  const results = read.flatMap((one) => one.results);
  context.write(`\n${totalsText(context, results, { prices, sessions: read.length })}`);

  const meter = () => sessionMeter(LENGTH_COUNTER);
  const files = newest.map((session) => session.files);
  const whole = await readSessions(context, files, { meter, entries: true });
  const wastes = whole
    .flatMap((one) => wastesOf(nameSession(one, hide), prices))
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, WASTES);
  if (wastes.length > 0) {
    context.write(`\n${paint(context, "Most expensive, among these", "bold")}\n`);
    for (const { what, cost, command } of wastes) {
      const amount = `${paint(context, dollarsText(cost).padStart(7), "red")}  `;
      context.write(hangingText(context, amount, what));
      context.write(hangingText(context, " ".repeat(9), paint(context, command, "cyan")));
    }
  }
  const [first] = newest;
  const advice = `All sessions by project: agent-history sessions. One as a page: agent-history open ${first === undefined ? "" : shortId(first.sessionId)}`;
  context.write(adviceText(context, advice.trim()));
}

const COLUMNS: readonly Column[] = [
  { head: "session" },
  { head: "first request", shrinks: "text" },
  { head: "project", shrinks: "path", leaveOut: 2 },
  { head: "last call", leaveOut: 1 },
  { head: "model", leaveOut: 3 },
  { head: "calls", isNumber: true, leaveOut: 4 },
  { head: "cost", isNumber: true },
  { head: "", leaveOut: 5 },
];

function rowOf(session: NamedSession, cost: number, most: number): Row {
  const { models, calls, endedAtMs, unpricedCalls } = sessionSummary(session.measured);
  return [
    { text: shortId(session.sessionId), paint: "cyan" },
    session.name,
    session.project.split(/[\\/]/).at(-1) ?? "",
    instantText(endedAtMs ?? session.modifiedAtMs).slice(0, 10),
    modelText(models),
    `${calls}`,
    unpricedCalls === calls ? "–" : dollarsText(cost),
    most === 0 ? "" : shareBar(cost / most),
  ];
}

/** Tokens that were paid for and could have been spared, and the command that explains them. */
interface Waste {
  readonly what: string;
  readonly cost: number;
  readonly command: string;
}

function wastesOf(
  { sessionId, name, measured }: NamedSession,
  prices: PriceTable,
): readonly Waste[] {
  const id = shortId(sessionId);
  const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  return measured.flatMap((session): readonly Waste[] => {
    const { breaks } = cacheReport(session);
    const broken = breaks.reduce((sum, one) => sum + (breakCost(one, prices) ?? 0), 0);
    const again = breaks.reduce((sum, one) => sum + one.sentAgainTokens, 0);
    const { repeated, heaviest } = tokenReport(session, { heaviest: 1 });
    const price = promptPrice(session, prices);
    const repeats = repeated.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
    const times = repeated.reduce((sum, one) => sum + one.times - 1, 0);
    const [largest] = heaviest;
    const wastes: readonly (Waste | undefined)[] = [
      {
        what: `${countText(breaks.length, "cache break")} in “${short}” sent ${tokensText(again)} tokens again`,
        cost: broken,
        command: `agent-history cache ${id}`,
      },
      {
        what: `${countText(times, "result")} in “${short}” repeated an earlier one: ${tokensText(repeats)} prompt tokens`,
        cost: repeats * price,
        command: `agent-history tokens ${id}`,
      },
      largest && {
        what: `one entry of ${tokensText(largest.tokens)} tokens in “${short}” was sent in ${countText(largest.sent, "call")}`,
        cost: largest.tokens * largest.sent * price,
        command: `agent-history tokens ${id}`,
      },
    ];
    return wastes.filter((waste) => waste !== undefined).filter(({ cost }) => cost > 0);
  });
}

/** What a prompt token of a session cost on average, in dollars. */
function promptPrice(session: MeasuredSession, prices: PriceTable): number {
  const withoutOutput = {
    ...session,
    rest: [],
    calls: session.calls.map((call) => ({ ...call, usage: { ...call.usage, outputTokens: 0 } })),
  };
  const { cost, usage } = sessionSummary([withoutOutput], prices);
  const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return tokens === 0 ? 0 : cost / tokens;
}
