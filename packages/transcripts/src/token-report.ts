import { grouped } from "./internal/grouped.ts";
import type { MeasuredEntry, MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage } from "./model-call.ts";

/** Where the tokens of sessions went. */
export interface TokenReport {
  /** Usage as reported in the logs. */
  readonly usage: CallUsage;
  readonly calls: number;
  /** Tokens of all prompts, as reported. */
  readonly promptTokens: number;
  /** The part that entries account for. The rest is system prompt and tools, which are not in the log, and errors of the estimate. */
  readonly sentTokens: number;
  /** Factor applied to the counter's counts, so that they match the growth of the logged prompts. */
  readonly factor: number;
  readonly byRole: readonly TokenGroup[];
  /** Tool results, by tool. */
  readonly byTool: readonly TokenGroup[];
  /** Tool results, by the file that the call names. */
  readonly byFile: readonly TokenGroup[];
  readonly byTurn: readonly TokenGroup[];
  /** The entries that cost most to send, in descending order. */
  readonly heaviest: readonly NamedEntry[];
  /** Results that repeat an earlier result of the same tool. */
  readonly repeated: readonly RepeatedResult[];
}

/** An entry, and the name of its session. */
export interface NamedEntry extends MeasuredEntry {
  readonly session?: string | undefined;
}

/** Entries with a common property. */
export interface TokenGroup {
  readonly name: string;
  readonly entries: number;
  /** Each entry counted once. */
  readonly tokens: number;
  /** Each entry counted once per call that sent it. */
  readonly sentTokens: number;
}

/** A result that occurs several times. */
export interface RepeatedResult {
  readonly toolName: string;
  readonly files: readonly string[];
  readonly times: number;
  /** All occurrences but the first, counted once per call that sent them. */
  readonly sentTokens: number;
  readonly lines: readonly number[];
}

/** Options of {@link tokenReport}. */
export interface TokenReportOptions {
  /** Maximum number of entries in `heaviest`. Default 10. */
  readonly heaviest?: number | undefined;
  /** Returns the name of a session, if turns and entries of several are in one table. Default: none. */
  readonly nameOf?: (session: MeasuredSession) => string | undefined;
}

/** Reports where the tokens of sessions went. Linear, except for sorting. */
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

/** Scales the token counts of a session's entries to the logged prompts. */
function scaledEntries(session: MeasuredSession, name: string | undefined) {
  const factor = growthFactor(session);
  const entries = session.entries.map((entry) => ({
    ...entry,
    tokens: Math.round(entry.tokens * factor),
    session: name,
  }));
  // Tokens sent, before scaling.
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

/** Groups entries by name, by tokens sent in descending order. Entries without a name are ignored. */
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

/** Shorter results repeat by chance. */
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

/** Computes the correction of the counter: between two calls, a prompt grows by the entries between them, and the log reports the growth. */
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
    // If a prompt shrinks, entries were removed, so it is not comparable.
    if (growth > 0) {
      counted += tokens;
      reported += growth;
    }
  }
  // Too few tokens to learn from. The limits guard against logs of another kind.
  return counted < MIN_LEARNED_TOKENS ? 1 : Math.min(3, Math.max(0.3, reported / counted));
}

const MIN_LEARNED_TOKENS = 2000;
