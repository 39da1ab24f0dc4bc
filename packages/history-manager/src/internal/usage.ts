import { countOption, splitTurns } from "@agent-history/core";
import type { EntryType, HistoryEntry } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import type { ProviderTotals, ProviderUsage, ThreadUsage, Usage } from "../thread-usage.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { newName } from "./new-name.ts";
import { isRecord, isTextList, stateKey, updateState } from "./thread-state.ts";

/** Counts what a thread costs, as it was written. Takes the counts that stand beside the entries, and counts the rest. */
export async function countUsage(
  thread: ManagedThread,
  { signal }: CallOptions = {},
): Promise<ThreadUsage> {
  const { store, threadId, counter } = thread.options;
  const { entries, tokens: stored } = await store.read(threadId, {
    originals: true,
    ...(signal && { signal }),
  });
  const known = stored.get(counter.id) ?? [];
  const tokens = new Map<HistoryEntry, number>();
  for (const [index, entry] of entries.entries()) {
    tokens.set(entry, known[index] ?? (await counter.countEntry(entry, undefined, signal)));
  }
  const provider = await readUsage(thread, signal);
  const usage = usageOf(entries, (entry) => tokens.get(entry) ?? 0);
  return { ...usage, ...(provider && { provider }) };
}

function usageOf(
  entries: readonly HistoryEntry[],
  tokensOf: (entry: HistoryEntry) => number,
): ThreadUsage {
  const byType = new Map<EntryType, Usage>();
  const byAgent = new Map<string | undefined, Usage>();
  const byTurn = new Map<string, Usage>();
  let total = 0;
  for (const { id, entries: turn } of splitTurns(entries)) {
    const name = id ?? turn[0]?.id ?? "";
    for (const entry of turn) {
      const tokens = tokensOf(entry);
      total += tokens;
      add(byType, entry.type, tokens);
      add(byAgent, entry.agent?.id, tokens);
      add(byTurn, name, tokens);
    }
  }
  return {
    entries: entries.length,
    tokens: total,
    byType: [...byType].map(([type, usage]) => ({ type, ...usage })),
    byAgent: [...byAgent].map(([agentId, usage]) => ({
      ...(agentId !== undefined && { agentId }),
      ...usage,
    })),
    byTurn: [...byTurn].map(([turnId, usage]) => ({ turnId, ...usage })),
  };
}

function add<Key>(usages: Map<Key, Usage>, key: Key, tokens: number): void {
  const { entries, tokens: before } = usages.get(key) ?? { entries: 0, tokens: 0 };
  usages.set(key, { entries: entries + 1, tokens: before + tokens });
}

const KEY: string = stateKey("usage");

/** Of this many calls the ids are kept, so that a write whose answer was lost is not counted twice. */
const MAX_CALLS = 64;

const NAMES = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/** What is kept of an agent; without an id what no agent's call cost. */
type AgentTotals = {
  readonly [Name in keyof ProviderTotals]: number;
} & { readonly agentId?: string };

/** With the ids of the newest calls. */
interface KeptUsage {
  readonly byAgent: readonly AgentTotals[];
  readonly newest: readonly string[];
}

const NONE: ProviderTotals = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** Adds what a provider reported of one call of the scope's agent. The same id is counted once. */
export async function addUsage(
  { options }: ManagedThread,
  { agent }: Scope,
  { id = newName(options), ...usage }: ProviderUsage & { readonly id?: string },
  { signal }: CallOptions = {},
): Promise<void> {
  for (const name of NAMES) countOption(name, usage[name] ?? 0);
  const { store, threadId } = options;
  await updateState({ store, threadId, signal }, KEY, (stored) => {
    const { byAgent, newest } = read(stored?.value);
    if (newest.includes(id)) return undefined;
    const isSame = ({ agentId }: AgentTotals): boolean => agentId === agent?.id;
    const before = byAgent.find(isSame) ?? { ...NONE, ...(agent && { agentId: agent.id }) };
    const next = { ...sum(before, { ...NONE, ...usage, calls: 1 }) };
    return {
      byAgent: [
        ...byAgent.filter((one) => !isSame(one)),
        { ...next, ...(agent && { agentId: agent.id }) },
      ],
      newest: [...newest, id].slice(-MAX_CALLS),
    };
  });
}

/** Returns what providers reported; nothing where nothing was passed in. */
async function readUsage(
  { options: { store, threadId } }: ManagedThread,
  signal: AbortSignal | undefined,
): Promise<ThreadUsage["provider"]> {
  const stored = await store.getState(threadId, KEY, signal && { signal });
  const { byAgent } = read(stored?.value);
  if (byAgent.length === 0) return undefined;
  return { ...byAgent.reduce(sum, NONE), byAgent };
}

function read(value: unknown): KeptUsage {
  const { byAgent, newest } = isRecord(value) ? value : {};
  const isWhole = Array.isArray(byAgent) && byAgent.every(isTotals) && isTextList(newest);
  return isWhole ? { byAgent, newest } : { byAgent: [], newest: [] };
}

function isTotals(value: unknown): value is AgentTotals {
  if (!isRecord(value)) return false;
  const { agentId } = value;
  const isNamed = agentId === undefined || typeof agentId === "string";
  return isNamed && ["calls", ...NAMES].every((name) => Number.isSafeInteger(value[name]));
}

function sum(one: ProviderTotals, other: ProviderTotals): ProviderTotals {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}
