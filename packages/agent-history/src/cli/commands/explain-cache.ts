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
import { redactor } from "../redactor.ts";
import { findSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, shortId, texts, wrapProse } from "../table.ts";
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
  const { limit, prices } = options;
  const hide = redactor(options.redact);
  const found = await findSessions(context, options, wanted);
  const read = await readSessions(context, found, lengthMeter);
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
  const dearest = breaks.toSorted((a, b) => b.sentAgainTokens - a.sentAgainTokens);
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
        breaks.length === 0 ? undefined : drawTable(context, CAUSES, causesOf(breaks)),
        breaks.length === 0 ? undefined : drawTable(context, BREAKS, dearest.slice(0, limit)),
        wrapProse(context, [BREAK_DEFINITION]),
        adviceText(context, adviceOf(breaks)),
      ];
    },
  };
}

/** Creates a meter that estimates by length: enough to compare how much a rewind kept and dropped. */
export function lengthMeter(): ReturnType<typeof sessionMeter> {
  return sessionMeter({ countEntry: (entry) => JSON.stringify(entry).length / 4 });
}

function costOf(breaks: readonly PricedBreak[]): number {
  return breaks.reduce((sum, { cost = 0 }) => sum + cost, 0);
}

/** Groups breaks by cause, the most frequent first. */
function causesOf(breaks: readonly PricedBreak[]): readonly (readonly PricedBreak[])[] {
  return [...new Set(breaks.map(causeText))]
    .map((name) => breaks.filter((one) => causeText(one) === name))
    .toSorted((a, b) => b.length - a.length);
}

function causeText({ cause, isLikely, call }: CacheBreak): string {
  const name = cause === "reported" ? (call.providerReason ?? cause) : cause;
  return isLikely ? `${name}, likely` : name;
}

const CAUSES: readonly Column<readonly PricedBreak[]>[] = [
  texts("cause", (some) => some.slice(0, 1).map(causeText).join("")),
  numbers("breaks", (some) => some.length),
  numbers("sent again", (some) =>
    tokensText(some.reduce((sum, { sentAgainTokens }) => sum + sentAgainTokens, 0)),
  ),
  numbers("cost", (some) => dollarsText(costOf(some))),
  numbers("avoidable", (some) =>
    some.every(({ isAvoidable }) => isAvoidable === undefined)
      ? "–"
      : some.filter(({ isAvoidable }) => isAvoidable).length,
  ),
  texts("what happened", ([first]) => BREAK_CAUSES[first?.cause ?? "unknown"], "end"),
];

const BREAKS: readonly Column<PricedBreak>[] = [
  texts("session", ({ sessionId }) => shortId(sessionId)),
  numbers("line", ({ call }) => call.line),
  texts("time (UTC)", ({ call }) => instantText(call.answeredAtMs)),
  texts("cause", causeText, "end"),
  numbers("pause", ({ idleMs: ms }) => (ms === undefined ? "" : spanText(ms))),
  numbers("sent again", (one) => tokensText(one.sentAgainTokens)),
  numbers("cost", (one) => dollarsText(one.cost)),
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
