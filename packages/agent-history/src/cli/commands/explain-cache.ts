import {
  BREAK_DEFINITION,
  breakCost,
  cacheReport,
  joinCacheReports,
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
import { findSessions, pricesOf, readSessions, rowLimit, shortId } from "../sessions.ts";
import type { SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, shareBar, wrapProse } from "../table.ts";
import type { Column, Row } from "../table.ts";

/** A break, its session and its price. */
interface PricedBreak extends CacheBreak {
  readonly sessionId: string;
  readonly cost?: number;
}

/** Says what broke the prompt cache of sessions, why, and what it cost. */
export async function explainCache(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<void> {
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options, wanted);
  const meter = () => sessionMeter(LENGTH_COUNTER);
  const read = await readSessions(context, found, { meter, entries: true });
  const reports = read.flatMap(({ session, results }) =>
    results.map((measured) => ({ session, report: cacheReport(measured) })),
  );
  const all = joinCacheReports(reports.map(({ report }) => report));
  const breaks: readonly PricedBreak[] = reports.flatMap(({ session, report }) =>
    report.breaks.map((one) => {
      const cost = breakCost(one, prices);
      const sessionId = hide.session(session.sessionId);
      const call = { ...one.call, id: hide.id(one.call.id) };
      const previous = { ...one.previous, id: hide.id(one.previous.id) };
      return { sessionId, ...one, call, previous, ...(cost !== undefined && { cost }) };
    }),
  );
  if (options.json) {
    const json = { definition: BREAK_DEFINITION, prices: prices.asOf, ...all, breaks };
    context.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return;
  }
  const full = all.usage.cacheWriteTokens + all.usage.inputTokens;
  context.write(
    wrapProse(context, [
      `${countText(all.calls, "call")} read ${shareText(all.readShare, 1)} of their prompt tokens from the cache.`,
      `${countText(breaks.length, "break")} in ${countText(all.eligible, "call")} that could have been one: ${tokensText(all.sentAgainTokens)} tokens were sent again (${shareText(all.sentAgainTokens, full)} of all that was not read), ${dollarsText(costOf(breaks))} more than reading them, at list prices of ${prices.asOf}.`,
    ]),
  );
  if (breaks.length > 0) {
    const dearest = breaks.toSorted((a, b) => b.sentAgainTokens - a.sentAgainTokens);
    context.write(`\n${drawTable(context, CAUSES, causeRows(breaks))}`);
    context.write(`\n${drawTable(context, BREAKS, dearest.slice(0, limit).map(breakCells))}`);
  }
  context.write(`\n${wrapProse(context, [BREAK_DEFINITION])}`);
  context.write(adviceText(context, adviceOf(breaks)));
}

/** An estimate by length: what a rewind kept is compared with what it dropped. */
export const LENGTH_COUNTER = {
  countEntry: (entry: object): number => JSON.stringify(entry).length / 4,
};

function costOf(breaks: readonly PricedBreak[]): number {
  return breaks.reduce((sum, { cost = 0 }) => sum + cost, 0);
}

const CAUSES: readonly Column[] = [
  { head: "cause" },
  { head: "breaks", isNumber: true },
  { head: "sent again", isNumber: true },
  { head: "cost", isNumber: true },
  { head: "avoidable", isNumber: true },
  { head: "", leaveOut: 2 },
  { head: "what happened", shrinks: "text", leaveOut: 1 },
];

const MEANINGS: Readonly<Record<CacheBreak["cause"], string>> = {
  reported: "the provider named a reason",
  idle: "a pause longer than the cache's lifetime",
  cleared: "the tool removed old results",
  rewound: "the history went on from an older message",
  model: "another model answered",
  messages: "a message after the system prompt changed",
  evicted: "only appended; the provider lost the prefix",
  unknown: "system prompt, tools, or the provider",
};

function causeText({ cause, isLikely, call }: CacheBreak): string {
  const name = cause === "reported" ? (call.providerReason ?? cause) : cause;
  return isLikely ? `${name}, likely` : name;
}

function causeRows(breaks: readonly PricedBreak[]): readonly Row[] {
  const names = new Set(breaks.map(causeText));
  return [...names]
    .map((name) => [name, breaks.filter((one) => causeText(one) === name)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, some]) => {
      const isKnown = some.some(({ isAvoidable }) => isAvoidable !== undefined);
      const avoidable = some.filter(({ isAvoidable }) => isAvoidable).length;
      return [
        name,
        `${some.length}`,
        tokensText(some.reduce((sum, one) => sum + one.sentAgainTokens, 0)),
        dollarsText(costOf(some)),
        isKnown ? `${avoidable}` : "–",
        shareBar(some.length / breaks.length),
        MEANINGS[some[0]?.cause ?? "unknown"],
      ];
    });
}

const BREAKS: readonly Column[] = [
  { head: "session", leaveOut: 3 },
  { head: "line", isNumber: true },
  { head: "when, UTC", leaveOut: 2 },
  { head: "cause" },
  { head: "pause", isNumber: true },
  { head: "first changed", leaveOut: 4 },
  { head: "sent again", isNumber: true },
  { head: "cost", isNumber: true },
  { head: "avoidable", leaveOut: 1 },
];

function breakCells(one: PricedBreak): Row {
  const { sessionId, call, idleMs, firstChangedLine, isAvoidable, cost } = one;
  return [
    { text: shortId(sessionId), paint: "cyan" },
    `${call.line}`,
    instantText(call.answeredAtMs),
    causeText(one),
    idleMs === undefined ? "" : spanText(idleMs),
    firstChangedLine === undefined ? "" : `line ${firstChangedLine}`,
    tokensText(one.sentAgainTokens),
    { text: dollarsText(cost), paint: "bold" },
    isAvoidable === undefined ? "–" : isAvoidable ? "yes" : "no",
  ];
}

/** What another setting would have saved, else what to look at. */
function adviceOf(breaks: readonly PricedBreak[]): string {
  const pauses = breaks.filter(({ cause, isLikely }) => cause === "idle" && !isLikely);
  const short = pauses.filter(({ isAvoidable }) => isAvoidable);
  if (short.length > 0) {
    const verb = short.length === 1 ? "was" : "were";
    return `${short.length} of ${countText(pauses.length, "pause")} that broke the cache ${verb} under an hour: a cache lifetime of one hour would have saved ${dollarsText(costOf(short))}.`;
  }
  const models = breaks.filter(({ cause }) => cause === "model");
  if (models.length > 0) {
    return `${countText(models.length, "break")} came from another model: switch models between tasks.`;
  }
  if (breaks.length === 0) return "Nothing to do: the cache held.";
  return `No setting would have kept these. Smaller prompts make each break cheaper: see agent-history tokens.`;
}
