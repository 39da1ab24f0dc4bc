import { grouped } from "./internal/grouped.ts";
import type { MeasuredEntry, MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage } from "./model-call.ts";

/** Where the tokens of sessions went. */
export interface TokenReport {
  /** What the log reports. */
  readonly usage: CallUsage;
  readonly calls: number;
  /** The tokens of all prompts, as reported. */
  readonly promptTokens: number;
  /** Of those, what the entries account for; the rest is the system prompt and tools, which stand in no log, and what the estimate misses. */
  readonly sentTokens: number;
  /** By what the counter's counts were multiplied, so that they grow as the prompts that the log reports. */
  readonly factor: number;
  readonly byRole: readonly TokenGroup[];
  /** Tool results, by tool. */
  readonly byTool: readonly TokenGroup[];
  /** Tool results, by the file that the call names. */
  readonly byFile: readonly TokenGroup[];
  readonly byTurn: readonly TokenGroup[];
  /** The entries that were most expensive to send, most expensive first. */
  readonly heaviest: readonly NamedEntry[];
  /** Results that say the same as an earlier result of their tool. */
  readonly repeated: readonly RepeatedResult[];
}

/** An entry, and what its session is called. */
export interface NamedEntry extends MeasuredEntry {
  readonly session?: string | undefined;
}

/** Entries that have something in common. */
export interface TokenGroup {
  readonly name: string;
  readonly entries: number;
  /** Counted once. */
  readonly tokens: number;
  /** Counted in each call that sent them. */
  readonly sentTokens: number;
}

/** A result that came several times. */
export interface RepeatedResult {
  readonly toolName: string;
  readonly files: readonly string[];
  readonly times: number;
  /** Of all but the first, counted in each call that sent them. */
  readonly sentTokens: number;
  readonly lines: readonly number[];
}

/** Options of {@link tokenReport}. */
export interface TokenReportOptions {
  /** How many entries are listed. Default 10. */
  readonly heaviest?: number | undefined;
  /** What sessions are called where turns and entries of several stand in one table. Default: nothing. */
  readonly nameOf?: (session: MeasuredSession) => string | undefined;
}

/** Reports where the tokens of sessions went. Linear but for sorting. */
export function tokenReport(
  sessions: readonly MeasuredSession[],
  { heaviest = 10, nameOf }: TokenReportOptions = {},
): TokenReport {
  const scaled = sessions.map((session) => scaledEntries(session, nameOf?.(session)));
  const entries = scaled.flatMap((session) => session.entries);
  const results = entries.filter(isResult);
  const paid = sessions.flatMap(({ calls, rest }) => [...calls, ...rest]);
  const usage = addUsage(paid.map((one) => one.usage));
  const unscaled = scaled.reduce((sum, one) => sum + one.sentTokens, 0);
  const weighted = scaled.reduce((sum, one) => sum + one.sentTokens * one.factor, 0);
  return {
    usage,
    calls: sessions.reduce((sum, { calls }) => sum + calls.length, 0),
    promptTokens: promptTokens(usage),
    sentTokens: sentTokensOf(entries),
    factor: unscaled === 0 ? 1 : weighted / unscaled,
    byRole: groupsOf(entries, ({ role }) => role),
    byTool: groupsOf(results, ({ toolName }) => toolName),
    byFile: groupsOf(results, ({ files }) => files[0]),
    byTurn: groupsOf(entries, turnNameOf),
    heaviest: entries.toSorted((a, b) => sentTokensOf([b]) - sentTokensOf([a])).slice(0, heaviest),
    repeated: scaled.flatMap((session) => repeatedResults(session.entries)).toSorted(bySentTokens),
  };
}

/** The entries of a session, their tokens as the log's prompts grow. */
function scaledEntries(session: MeasuredSession, name: string | undefined) {
  const factor = growthFactor(session);
  const entries = session.entries.map((entry) => ({
    ...entry,
    tokens: Math.round(entry.tokens * factor),
    session: name,
  }));
  // Tokens as they were sent before they were scaled.
  return { entries, factor, sentTokens: sentTokensOf(session.entries) };
}

function isResult({ toolName }: MeasuredEntry): boolean {
  return toolName !== undefined;
}

function turnNameOf({ session, turnId = "outside turns", agentId }: NamedEntry): string {
  const name = agentId === undefined ? turnId : `subagent ${agentId}`;
  return session === undefined ? name : `${session} ${name}`;
}

function sentTokensOf(entries: readonly MeasuredEntry[]): number {
  return entries.reduce((sum, { tokens, sent }) => sum + tokens * sent, 0);
}

function bySentTokens(
  a: Pick<TokenGroup, "sentTokens">,
  b: Pick<TokenGroup, "sentTokens">,
): number {
  return b.sentTokens - a.sentTokens;
}

/** Entries by name, those that sent most first; one without a name is in no group. */
function groupsOf(
  entries: readonly NamedEntry[],
  nameOf: (entry: NamedEntry) => string | undefined,
): readonly TokenGroup[] {
  return [...grouped(entries, nameOf)]
    .flatMap(([name, some]): readonly TokenGroup[] => {
      if (name === undefined) return [];
      const tokens = some.reduce((sum, entry) => sum + entry.tokens, 0);
      return [{ name, entries: some.length, tokens, sentTokens: sentTokensOf(some) }];
    })
    .toSorted((a, b) => bySentTokens(a, b) || b.tokens - a.tokens);
}

/** Short results repeat by themselves. */
const MIN_REPEATED_TOKENS = 50;

function repeatedResults(entries: readonly MeasuredEntry[]): readonly RepeatedResult[] {
  const long = entries.filter((one) => isResult(one) && one.tokens >= MIN_REPEATED_TOKENS);
  return [...grouped(long, ({ hash }) => hash).values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      toolName: group[0]?.toolName ?? "",
      files: group[0]?.files ?? [],
      times: group.length,
      sentTokens: sentTokensOf(group.slice(1)),
      lines: group.map(({ line }) => line),
    }));
}

/** Between two calls, a prompt grows by the entries that came between them: what the log reports of it corrects the counter. */
function growthFactor({ calls, entries }: MeasuredSession): number {
  const main = calls.filter(({ agentId }) => agentId === undefined);
  const between = new Map<number, number>();
  for (const { agentId, callsBefore, tokens } of entries) {
    if (agentId !== undefined) continue;
    between.set(callsBefore, (between.get(callsBefore) ?? 0) + tokens);
  }
  let counted = 0;
  let reported = 0;
  for (const [index, call] of main.entries()) {
    const before = main[index - 1];
    const tokens = between.get(index) ?? 0;
    const growth = before === undefined ? 0 : promptTokens(call.usage) - promptTokens(before.usage);
    // Where a prompt shrinks, something left it.
    if (growth > 0) {
      counted += tokens;
      reported += growth;
    }
  }
  // Too little to learn from, or a log of another kind.
  return counted < MIN_LEARNED_TOKENS ? 1 : Math.min(3, Math.max(0.3, reported / counted));
}

const MIN_LEARNED_TOKENS = 2000;
