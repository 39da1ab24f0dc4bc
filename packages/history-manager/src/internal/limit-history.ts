import { groupExchanges, splitTurns } from "@agent-history/core";
import type { AsyncTokenCounter, HistoryEntry, TokenCounter, Viewer } from "@agent-history/core";

/** How much of earlier turns a prompt may show. */
export interface HistoryLimit {
  readonly maxTokens: number;
  readonly counter: TokenCounter | AsyncTokenCounter;
  readonly viewer: Viewer;
  readonly signal: AbortSignal | undefined;
}

/** Number of steps in which turns are given up, so that the prompt's prefix, and the provider's cache of it, lasts for several turns. */
const STEPS = 4;

/**
 * Keeps the last whole turns before the newest that fit. Instructions, pinned entries with their exchange, memories and
 * summaries stay and do not count. A view within its limit is returned by identity.
 */
export async function limitHistory(
  entries: readonly HistoryEntry[],
  { maxTokens, counter, viewer, signal }: HistoryLimit,
): Promise<readonly HistoryEntry[]> {
  const earlier = splitTurns(entries).slice(0, -1);
  const exempt = exemptEntries(entries);
  const sizes: number[] = [];
  for (const turn of earlier) {
    let size = 0;
    for (const entry of turn.entries) {
      if (!exempt.has(entry)) size += await counter.countEntry(entry, viewer, signal);
    }
    sizes.push(size);
  }
  const excess = sizes.reduce((sum, size) => sum + size, 0) - maxTokens;
  if (excess <= 0) return entries;
  const step = Math.max(1, Math.floor(maxTokens / STEPS));
  let left = Math.ceil(excess / step) * step;
  const dropped = new Set<HistoryEntry>();
  for (const [index, turn] of earlier.entries()) {
    if (left <= 0) break;
    left -= sizes[index] ?? 0;
    for (const entry of turn.entries) if (!exempt.has(entry)) dropped.add(entry);
  }
  return entries.filter((entry) => !dropped.has(entry));
}

/** Types that belong to no turn. */
function exemptEntries(entries: readonly HistoryEntry[]): ReadonlySet<HistoryEntry> {
  return new Set(
    groupExchanges(entries).flatMap((group): readonly HistoryEntry[] => {
      const all = group.kind === "exchange" ? [group.action, ...group.observations] : [group.entry];
      return all.some(({ type, pinned }) => pinned === true || STANDING.has(type)) ? all : [];
    }),
  );
}

const STANDING: ReadonlySet<string> = new Set(["system_message", "memory", "summary"]);
