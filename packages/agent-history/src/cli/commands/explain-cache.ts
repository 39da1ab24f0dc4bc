import {
  BREAK_CAUSES,
  BREAK_DEFINITION,
  breakCost,
  cacheReport,
  sessionMeter,
} from "@agent-history/transcripts";
import type { CacheBreak } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import {
  countText,
  dollarsText,
  instantText,
  shareText,
  spanText,
  tokensText,
} from "../number-text.ts";
import { openSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, idCell, numbers, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

/** A cache break with its session and price. */
interface PricedBreak extends CacheBreak {
  readonly sessionId: string;
  readonly cost?: number;
}

/** Reports which calls broke the prompt cache, why, and what it cost. */
export async function explainCache(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { limit, prices, hide, found } = await openSessions(context, options, wanted);
  const meter = () => sessionMeter(LENGTH_COUNTER);
  const read = await readSessions(context, found, { meter, entries: true });
  const all = cacheReport(read.flatMap(({ results }) => results));
  const breaks = read.flatMap(({ session, results }) =>
    cacheReport(results).breaks.map((one): PricedBreak => {
      const cost = breakCost(one, prices);
      const sessionId = hide.session(session.sessionId);
      const call = { ...one.call, id: hide.id(one.call.id) };
      const previous = { ...one.previous, id: hide.id(one.previous.id) };
      return { sessionId, ...one, call, previous, ...(cost !== undefined && { cost }) };
    }),
  );
  const full = all.usage.cacheWriteTokens + all.usage.inputTokens;
  return {
    json: { definition: BREAK_DEFINITION, prices: prices.asOf, ...all, breaks },
    screen: () => {
      if (all.calls === 0)
        return ["No model calls are recorded, so nothing is known about the prompt cache.\n"];
      return [
        wrapProse(context, [
          `${countText(all.calls, "call")} read ${shareText(all.readShare, 1)} of their prompt tokens from the cache.`,
          `${countText(all.eligible, "call")} could have read the previous prompt from the cache; ${countText(breaks.length, "did not (a cache break)", "did not (cache breaks)")}. ${tokensText(all.sentAgainTokens)} tokens were sent again (${shareText(all.sentAgainTokens, full)} of all uncached tokens), which cost ${dollarsText(costOf(breaks))} more than reading them from the cache, at list prices as of ${prices.asOf}.`,
        ]),
        ...(breaks.length === 0 ? [] : breakTables(context, breaks, limit)),
        wrapProse(context, [BREAK_DEFINITION]),
        adviceText(context, adviceOf(breaks)),
      ];
    },
  };
}

/** Estimates by length: enough to compare how much a rewind kept and dropped. */
export const LENGTH_COUNTER = {
  countEntry: (entry: object): number => JSON.stringify(entry).length / 4,
};

function costOf(breaks: readonly PricedBreak[]): number {
  return breaks.reduce((sum, { cost = 0 }) => sum + cost, 0);
}

/** Breaks of one cause. */
interface Cause {
  readonly name: string;
  readonly breaks: readonly PricedBreak[];
}

function breakTables(
  context: CliContext,
  breaks: readonly PricedBreak[],
  limit: number,
): readonly string[] {
  const causes = [...new Set(breaks.map(causeText))]
    .map((name): Cause => ({ name, breaks: breaks.filter((one) => causeText(one) === name) }))
    .toSorted((a, b) => b.breaks.length - a.breaks.length);
  const byCause: readonly Column<Cause>[] = [
    texts("cause", ({ name }) => name),
    numbers("breaks", (cause) => cause.breaks.length),
    numbers("sent again", (cause) => tokensText(sentAgain(cause.breaks))),
    numbers("cost", (cause) => dollarsText(costOf(cause.breaks))),
    numbers("avoidable", avoidableText),
    texts("what happened", (cause) => BREAK_CAUSES[cause.breaks[0]?.cause ?? "unknown"], {
      shrinks: "text",
      leaveOut: 1,
    }),
  ];
  const dearest = breaks.toSorted((a, b) => b.sentAgainTokens - a.sentAgainTokens);
  return [drawTable(context, byCause, causes), drawTable(context, BREAKS, dearest.slice(0, limit))];
}

function sentAgain(breaks: readonly PricedBreak[]): number {
  return breaks.reduce((sum, { sentAgainTokens }) => sum + sentAgainTokens, 0);
}

function causeText({ cause, isLikely, call }: CacheBreak): string {
  const name = cause === "reported" ? (call.providerReason ?? cause) : cause;
  return isLikely ? `${name}, likely` : name;
}

function avoidableText({ breaks }: Cause): string {
  const known = breaks.filter(({ isAvoidable }) => isAvoidable !== undefined);
  return known.length === 0 ? "–" : `${known.filter(({ isAvoidable }) => isAvoidable).length}`;
}

const BREAKS: readonly Column<PricedBreak>[] = [
  texts("session", ({ sessionId }) => idCell(sessionId), { leaveOut: 3 }),
  numbers("line", ({ call }) => call.line),
  texts("time (UTC)", ({ call }) => instantText(call.answeredAtMs), { leaveOut: 2 }),
  texts("cause", causeText),
  numbers("pause", ({ idleMs: ms }) => (ms === undefined ? "" : spanText(ms))),
  texts(
    "first change",
    ({ firstChangedLine: line }) => (line === undefined ? "" : `line ${line}`),
    { leaveOut: 4 },
  ),
  numbers("sent again", (one) => tokensText(one.sentAgainTokens)),
  numbers("cost", (one) => ({ text: dollarsText(one.cost), paint: "bold" })),
  texts(
    "avoidable",
    ({ isAvoidable }) => (isAvoidable === undefined ? "–" : isAvoidable ? "yes" : "no"),
    { leaveOut: 1 },
  ),
];

/** Suggests a setting that would have saved tokens, else what to inspect next. */
function adviceOf(breaks: readonly PricedBreak[]): string {
  const pauses = breaks.filter(({ cause, isLikely }) => cause === "idle" && !isLikely);
  const short = pauses.filter(({ isAvoidable }) => isAvoidable);
  if (short.length > 0) {
    return `Of ${countText(pauses.length, "pause")} that broke the cache, ${short.length} lasted less than an hour. A cache lifetime of one hour would have saved ${dollarsText(costOf(short))}.`;
  }
  const models = breaks.filter(({ cause }) => cause === "model");
  if (models.length > 0) {
    return `${countText(models.length, "break")} came from a change of model. Change models between tasks, not within one.`;
  }
  if (breaks.length === 0) return "Nothing to do: the cache did not break.";
  return "No setting would have prevented these breaks. Smaller prompts make each break cheaper: run agent-history tokens to see what fills them.";
}
