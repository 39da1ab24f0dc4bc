import { countOption } from "@agent-history/core";
import { validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import type { CallOptions } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import type { ProviderTotals, ProviderUsage, ThreadUsage } from "../thread-usage.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { newName } from "./new-name.ts";
import { stateKey, updateState } from "./thread-state.ts";

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

const integer = z.int();
const totalsCheck = z.object({
  agentId: z.exactOptional(z.string()),
  calls: integer,
  inputTokens: integer,
  outputTokens: integer,
  cachedInputTokens: integer,
  cacheWriteTokens: integer,
  reasoningTokens: integer,
});
const usageCheck = z.object({
  byAgent: z.array(totalsCheck),
  newest: z.array(z.string()),
});

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
export async function readUsage(
  { options: { store, threadId } }: ManagedThread,
  signal: AbortSignal | undefined,
): Promise<ThreadUsage["provider"]> {
  const stored = await store.getState(threadId, KEY, signal && { signal });
  const { byAgent } = read(stored?.value);
  if (byAgent.length === 0) return undefined;
  return { ...byAgent.reduce(sum, NONE), byAgent };
}

function read(value: unknown): KeptUsage {
  return validCopy(usageCheck, value) ?? { byAgent: [], newest: [] };
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
