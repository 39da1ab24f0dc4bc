import type { CacheReport } from "./cache-report.ts";
import type { LostReport } from "./lost-report.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { ReplaySummary, SentTokens } from "./replay-summary.ts";
import type { TokenGroup, TokenReport } from "./token-report.ts";

/** Joins the cache reports of several sessions. */
export function joinCacheReports(reports: readonly CacheReport[]): CacheReport {
  const usage = addUsage(reports.map((report) => report.usage));
  const prompt = promptTokens(usage);
  const sum = (of: (report: CacheReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    usage,
    readShare: prompt === 0 ? 0 : usage.cacheReadTokens / prompt,
    calls: sum(({ calls }) => calls),
    eligible: sum(({ eligible }) => eligible),
    breaks: reports.flatMap(({ breaks }) => breaks),
    sentAgainTokens: sum(({ sentAgainTokens }) => sentAgainTokens),
  };
}

/** Joins the token reports of several sessions: groups of one name are one. Turns stay apart. */
export function joinTokenReports(
  reports: readonly TokenReport[],
  { heaviest = 10 }: { readonly heaviest?: number } = {},
): TokenReport {
  const usage = addUsage(reports.map((report) => report.usage));
  const sum = (of: (report: TokenReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const sentTokens = sum((report) => report.sentTokens);
  const unscaled = sum((report) => report.sentTokens / report.factor);
  return {
    usage,
    calls: sum(({ calls }) => calls),
    promptTokens: promptTokens(usage),
    sentTokens,
    factor: unscaled === 0 ? 1 : sentTokens / unscaled,
    byRole: joinGroups(reports.flatMap(({ byRole }) => byRole)),
    byTool: joinGroups(reports.flatMap(({ byTool }) => byTool)),
    byFile: joinGroups(reports.flatMap(({ byFile }) => byFile)),
    byTurn: reports.flatMap(({ byTurn }) => byTurn).toSorted(bySentTokens),
    heaviest: reports
      .flatMap((report) => report.heaviest)
      .toSorted((a, b) => b.tokens * b.sent - a.tokens * a.sent)
      .slice(0, heaviest),
    repeated: reports.flatMap(({ repeated }) => repeated).toSorted(bySentTokens),
  };
}

function bySentTokens(
  a: { readonly sentTokens: number },
  b: { readonly sentTokens: number },
): number {
  return b.sentTokens - a.sentTokens;
}

function joinGroups(groups: readonly TokenGroup[]): readonly TokenGroup[] {
  const joined = new Map<string, TokenGroup>();
  for (const group of groups) {
    const known = joined.get(group.name);
    joined.set(group.name, {
      name: group.name,
      entries: group.entries + (known?.entries ?? 0),
      tokens: group.tokens + (known?.tokens ?? 0),
      sentTokens: group.sentTokens + (known?.sentTokens ?? 0),
    });
  }
  return [...joined.values()].toSorted(bySentTokens);
}

/** Adds up several replayed sessions; `droppedEntries` is that of the prompt with the most. */
export function joinReplaySummaries(summaries: readonly ReplaySummary[]): ReplaySummary {
  const sum = (of: (summary: ReplaySummary) => number): number =>
    summaries.reduce((total, summary) => total + of(summary), 0);
  const tokens = (of: (summary: ReplaySummary) => SentTokens): SentTokens => ({
    promptTokens: sum((summary) => of(summary).promptTokens),
    cachedTokens: sum((summary) => of(summary).cachedTokens),
    cost: sum((summary) => of(summary).cost),
  });
  return {
    calls: sum(({ calls }) => calls),
    sent: tokens(({ sent }) => sent),
    replayed: tokens(({ replayed }) => replayed),
    droppedEntries: summaries.reduce((most, one) => Math.max(most, one.droppedEntries), 0),
    needed: sum(({ needed }) => needed),
    keptBySummaries: sum(({ keptBySummaries }) => keptBySummaries),
    keptByReplay: sum(({ keptByReplay }) => keptByReplay),
  };
}

/** What several compactions kept of what was needed after them. */
export interface LostTotals {
  readonly compactions: number;
  readonly rows: readonly LostRow[];
  readonly readBefore: number;
  readonly readAgain: number;
}

/** One kind of what was needed. */
export interface LostRow {
  readonly name: "paths, by path" | "paths, by name" | "names" | "numbers" | "errors";
  readonly needed: number;
  readonly kept: number;
}

/** Sums the reports of compactions up. */
export function lostTotals(reports: readonly LostReport[]): LostTotals {
  const row = (
    name: LostRow["name"],
    factsOf: (report: LostReport) => readonly boolean[],
  ): LostRow => {
    const facts = reports.flatMap(factsOf);
    return { name, needed: facts.length, kept: facts.filter(Boolean).length };
  };
  const kept = (facts: LostReport["names"]): readonly boolean[] => facts.map((one) => one.isKept);
  return {
    compactions: reports.length,
    rows: [
      row("paths, by path", ({ paths }) => kept(paths)),
      row("paths, by name", ({ paths }) => paths.map(({ isNameKept }) => isNameKept)),
      row("names", ({ names }) => kept(names)),
      row("numbers", ({ numbers }) => kept(numbers)),
      row("errors", ({ errors }) => kept(errors)),
    ],
    readBefore: reports.reduce((sum, { readBefore }) => sum + readBefore, 0),
    readAgain: reports.reduce((sum, { readAgain }) => sum + readAgain.length, 0),
  };
}
