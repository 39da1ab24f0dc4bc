import type { MeasuredEntry, MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage } from "./model-call.ts";

/** Where the tokens of a session went. */
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
  readonly heaviest: readonly MeasuredEntry[];
  /** Results that say the same as an earlier result of their tool. */
  readonly repeated: readonly RepeatedResult[];
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

/** Reports where the tokens of a session went. `heaviest` is how many entries are listed, default 10. Linear but for sorting. */
export function tokenReport(
  session: MeasuredSession,
  { heaviest = 10 }: { readonly heaviest?: number } = {},
): TokenReport {
  const factor = growthFactor(session);
  const entries = session.entries.map((entry) => ({
    ...entry,
    tokens: Math.round(entry.tokens * factor),
  }));
  const usage = addUsage([...session.calls, ...session.rest].map((one) => one.usage));
  const results = entries.filter(({ toolName }) => toolName !== undefined);
  return {
    usage,
    calls: session.calls.length,
    promptTokens: promptTokens(usage),
    sentTokens: entries.reduce((sum, { tokens, sent }) => sum + tokens * sent, 0),
    factor,
    byRole: groupsOf(entries, ({ role }) => [role]),
    byTool: groupsOf(results, ({ toolName = "" }) => [toolName]),
    byFile: groupsOf(results, ({ files }) => files.slice(0, 1)),
    byTurn: groupsOf(entries, ({ turnId, agentId }) => [
      agentId === undefined ? (turnId ?? "outside turns") : `subagent ${agentId}`,
    ]),
    heaviest: entries.toSorted((a, b) => sentTokensOf(b) - sentTokensOf(a)).slice(0, heaviest),
    repeated: repeatedResults(results),
  };
}

function sentTokensOf({ tokens, sent }: MeasuredEntry): number {
  return tokens * sent;
}

function groupsOf(
  entries: readonly MeasuredEntry[],
  namesOf: (entry: MeasuredEntry) => readonly string[],
): readonly TokenGroup[] {
  const groups = new Map<string, { entries: number; tokens: number; sentTokens: number }>();
  for (const entry of entries) {
    for (const name of namesOf(entry)) {
      const group = groups.get(name) ?? { entries: 0, tokens: 0, sentTokens: 0 };
      group.entries += 1;
      group.tokens += entry.tokens;
      group.sentTokens += sentTokensOf(entry);
      groups.set(name, group);
    }
  }
  return [...groups]
    .map(([name, group]) => ({ name, ...group }))
    .toSorted((a, b) => b.sentTokens - a.sentTokens || b.tokens - a.tokens);
}

/** Short results repeat by themselves. */
const MIN_REPEATED_TOKENS = 50;

function repeatedResults(results: readonly MeasuredEntry[]): readonly RepeatedResult[] {
  const same = new Map<string, MeasuredEntry[]>();
  for (const result of results) {
    if (result.tokens < MIN_REPEATED_TOKENS) continue;
    const known = same.get(result.hash) ?? [];
    known.push(result);
    same.set(result.hash, known);
  }
  return [...same.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      toolName: group[0]?.toolName ?? "",
      files: group[0]?.files ?? [],
      times: group.length,
      sentTokens: group.slice(1).reduce((sum, entry) => sum + sentTokensOf(entry), 0),
      lines: group.map(({ line }) => line),
    }))
    .toSorted((a, b) => b.sentTokens - a.sentTokens);
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
