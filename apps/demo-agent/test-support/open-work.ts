import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";

/** Says what of a thread's work is open, missing or doubled, line by line. */
export async function openWork(store: HistoryStore, threadId: string): Promise<readonly string[]> {
  const { entries } = await store.read(threadId, { originals: true });
  const calls = groupExchanges(entries).flatMap((group) =>
    group.kind === "exchange" && group.unanswered.length > 0
      ? [`unanswered calls of ${group.action.id}`]
      : [],
  );
  const tasks = entries.filter(({ type }) => type === "task");
  const turns = entries.filter(({ type }) => type === "user_message");
  return [
    ...calls,
    ...doubled(entries),
    ...tasks.flatMap(({ id }) => exactlyOne(entries, id, ({ taskId }) => taskId === id)),
    ...turns.flatMap(({ id, turnId }) =>
      exactlyOne(entries, id, (entry) => entry.turnId === turnId && isAnswer(entry)),
    ),
    ...checkHistory(entries)
      .filter(({ rule }) => rule !== "scattered-exchange")
      .map(({ rule }) => `broken: ${rule}`),
  ];
}

function doubled(entries: readonly HistoryEntry[]): readonly string[] {
  const seen = new Set<string>();
  return entries.flatMap(({ id }) => {
    const isDoubled = seen.has(id);
    seen.add(id);
    return isDoubled ? [`doubled: ${id}`] : [];
  });
}

/** A task has one report or synthesis, a turn one answer. */
function exactlyOne(
  entries: readonly HistoryEntry[],
  id: string,
  belongs: (entry: HistoryEntry) => boolean,
): readonly string[] {
  const ends = entries.filter((entry) => isEnd(entry) && belongs(entry));
  return ends.length === 1 ? [] : [`${ends.length} ends of ${id}`];
}

function isEnd(entry: HistoryEntry): boolean {
  return entry.type === "final" || entry.type === "synthesis" || isAnswer(entry);
}

function isAnswer({ type }: HistoryEntry): boolean {
  return type === "assistant_message";
}
