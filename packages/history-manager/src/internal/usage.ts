import { countOption, isObject, splitTurns } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type {
  CallOptions,
  ProviderTotals,
  ProviderUsage,
  Scope,
  ThreadUsage,
  Usage,
} from "../history-manager.ts";
import { newName } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { stateKey, updateState } from "./thread-state.ts";

/** Counts the tokens of a thread's log. Uses stored counts, and counts the rest. */
export async function countUsage(
  { options: { store, threadId, counter } }: ManagedThread,
  { signal }: CallOptions = {},
): Promise<ThreadUsage> {
  const options = signal && { signal };
  const { entries, tokens: stored } = await store.read(threadId, { originals: true, ...options });
  const known = stored.get(counter.id) ?? [];
  const tokens = new Map<HistoryEntry, number>();
  for (const [index, entry] of entries.entries()) {
    tokens.set(entry, known[index] ?? (await counter.countEntry(entry, undefined, signal)));
  }
  const turns = new Map(
    splitTurns(entries).flatMap(({ id, entries: turn }) =>
      turn.map((entry) => [entry, id ?? turn[0]?.id ?? ""] as const),
    ),
  );
  const totals = await store.getState(threadId, KEY, options);
  const { byAgent } = read(totals?.value);
  return {
    entries: entries.length,
    tokens: [...tokens.values()].reduce((sum, count) => sum + count, 0),
    byType: sumBy(
      tokens,
      ({ type }) => type,
      (type, usage) => ({ type, ...usage }),
    ),
    byAgent: sumBy(
      tokens,
      ({ agent }) => agent?.id,
      (agentId, usage) => ({ ...(agentId !== undefined && { agentId }), ...usage }),
    ),
    byTurn: sumBy(
      tokens,
      (entry) => turns.get(entry) ?? "",
      (turnId, usage) => ({ turnId, ...usage }),
    ),
    ...(byAgent.length > 0 && { provider: { ...byAgent.reduce(add, NONE), byAgent } }),
  };
}

/** Sums up entries by a key, in order of first occurrence. */
function sumBy<Key, Summed>(
  tokens: ReadonlyMap<HistoryEntry, number>,
  keyOf: (entry: HistoryEntry) => Key,
  summed: (key: Key, usage: Usage) => Summed,
): readonly Summed[] {
  const sums = new Map<Key, Usage>();
  for (const [entry, count] of tokens) {
    const { entries, tokens: before } = sums.get(keyOf(entry)) ?? { entries: 0, tokens: 0 };
    sums.set(keyOf(entry), { entries: entries + 1, tokens: before + count });
  }
  return [...sums].map(([key, usage]) => summed(key, usage));
}

const KEY: string = stateKey("usage");

/** Number of call ids that are kept, so that a retried write is not counted twice. */
const MAX_CALLS = 64;

const NONE = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** The usage of an agent; without an id, of calls without an agent. */
type AgentTotals = {
  readonly [Name in keyof ProviderTotals]: number;
} & { readonly agentId?: string };

/** Adds the provider's usage of one call of the scope's agent. The same id counts once. */
export async function addUsage(
  { options }: ManagedThread,
  { agent }: Scope,
  { id = newName(options), ...usage }: ProviderUsage & { readonly id?: string },
  { signal }: CallOptions = {},
): Promise<void> {
  const call = add(NONE, { ...NONE, ...usage, calls: 1 });
  for (const [name, count] of Object.entries(call)) countOption(name, count);
  const { store, threadId } = options;
  await updateState({ store, threadId, signal }, KEY, (stored) => {
    const { byAgent, newest } = read(stored?.value);
    if (newest.includes(id)) return undefined;
    const isSame = ({ agentId }: AgentTotals): boolean => agentId === agent?.id;
    const sum = { ...add(byAgent.find(isSame) ?? NONE, call) };
    return {
      byAgent: [
        ...byAgent.filter((one) => !isSame(one)),
        { ...sum, ...(agent && { agentId: agent.id }) },
      ],
      newest: [...newest, id].slice(-MAX_CALLS),
    };
  });
}

/** The stored usage; `undefined` if it is damaged. */
function read(value: unknown): {
  readonly byAgent: readonly AgentTotals[];
  /** The ids of the newest calls. */
  readonly newest: readonly string[];
} {
  const { byAgent, newest } = isObject(value) ? value : { byAgent: [], newest: [] };
  const isWhole = Array.isArray(byAgent) && byAgent.every(isTotals) && Array.isArray(newest);
  return isWhole ? { byAgent, newest } : { byAgent: [], newest: [] };
}

function isTotals(value: unknown): value is AgentTotals {
  return isObject(value) && Object.keys(NONE).every((name) => Number.isSafeInteger(value[name]));
}

function add(one: ProviderTotals, other: ProviderTotals): ProviderTotals {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}
