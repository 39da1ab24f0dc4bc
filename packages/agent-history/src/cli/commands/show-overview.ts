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
import { countText, dollarsText, instantText, tokensText } from "../number-text.ts";
import { modelText, nameSession, newestOf, openSessions, readSessions } from "../sessions.ts";
import type { Answer, NamedSession, SessionOptions } from "../sessions.ts";
import {
  adviceText,
  drawTable,
  hangingText,
  idCell,
  numbers,
  paint,
  shortId,
  texts,
} from "../table.ts";
import type { Column } from "../table.ts";
import { LENGTH_COUNTER } from "./explain-cache.ts";
import { costText, listSessions, totalsText } from "./list-sessions.ts";

const WASTES = 3;

type NewSession = NamedSession & SessionSummary;

/** Shows the newest sessions (`--limit`), the total cost of all, and the most expensive waste in the newest. */
export async function showOverview(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  if (options.json) return listSessions(context, wanted, options);
  const { limit, prices, hide, found } = await openSessions(context, options);
  const brief = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, { meter: brief, entries: false });
  const newest = read
    .map((one) => ({ ...nameSession(one, hide), files: one.session }))
    .toSorted((a, b) => newestOf(b) - newestOf(a))
    .slice(0, limit)
    .map((one) => ({ ...one, ...sessionSummary(one.measured, prices) }));
  const meter = () => sessionMeter(LENGTH_COUNTER);
  const files = newest.map((session) => session.files);
  const whole = await readSessions(context, files, { meter, entries: true });
  const wastes = whole
    .flatMap((one) => wastesOf(nameSession(one, hide), prices))
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, WASTES);
  const results = read.flatMap((one) => one.results);
  const page = `agent-history open ${newest.length === 0 ? "" : shortId(newest[0]?.sessionId ?? "")}`;
  return {
    json: {},
    screen: () => [
      `${paint(context, "Newest sessions", "bold")}\n${drawTable(context, COLUMNS, newest)}`,
      totalsText(context, results, { prices, sessions: read.length }),
      wastesText(context, wastes),
      adviceText(
        context,
        `To list all sessions by project, run agent-history sessions. To see one as a page, run ${page.trim()}.`,
      ),
    ],
  };
}

const COLUMNS: readonly Column<NewSession>[] = [
  texts("session", ({ sessionId }) => idCell(sessionId)),
  texts("first request", ({ name }) => name, { shrinks: "text" }),
  texts("project", ({ project }) => project.split(/[\\/]/).at(-1) ?? "", {
    shrinks: "path",
    leaveOut: 2,
  }),
  texts("last call", (one) => instantText(one.endedAtMs ?? one.modifiedAtMs).slice(0, 10), {
    leaveOut: 1,
  }),
  texts("model", ({ models }) => modelText(models), { leaveOut: 3 }),
  numbers("calls", ({ calls }) => calls, 4),
  numbers("cost", costText),
];

/** Avoidable tokens that were paid for, and the command that explains them. */
interface Waste {
  readonly what: string;
  readonly cost: number;
  readonly command: string;
}

function wastesText(context: CliContext, wastes: readonly Waste[]): string | undefined {
  if (wastes.length === 0) return undefined;
  const lines = wastes.flatMap(({ what, cost, command }) => [
    hangingText(context, `${paint(context, dollarsText(cost).padStart(7), "red")}  `, what),
    hangingText(context, " ".repeat(9), paint(context, command, "cyan")),
  ]);
  return [`${paint(context, "Most expensive waste in these sessions", "bold")}\n`, ...lines].join(
    "",
  );
}

function wastesOf(
  { sessionId, name, measured }: NamedSession,
  prices: PriceTable,
): readonly Waste[] {
  const id = shortId(sessionId);
  const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  return measured.flatMap((session) => {
    const { breaks, sentAgainTokens } = cacheReport([session]);
    const broken = breaks.reduce((sum, one) => sum + (breakCost(one, prices) ?? 0), 0);
    const { repeated, heaviest } = tokenReport([session], { heaviest: 1 });
    const price = promptPrice(session, prices);
    const repeats = repeated.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
    const times = repeated.reduce((sum, one) => sum + one.times - 1, 0);
    const wastes: readonly Waste[] = [
      {
        what: `${countText(breaks.length, "cache break")} in “${short}” sent ${tokensText(sentAgainTokens)} tokens again`,
        cost: broken,
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
function promptPrice(session: MeasuredSession, prices: PriceTable): number {
  const prompts = session.calls.map(({ model, usage }) => ({
    model,
    usage: { ...usage, outputTokens: 0 },
  }));
  const tokens = prompts.reduce((sum, { usage }) => sum + promptTokens(usage), 0);
  return tokens === 0 ? 0 : callsCost(prompts, prices).cost / tokens;
}
