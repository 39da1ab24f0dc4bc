import { groupExchanges, isInView } from "@agent-history/core";
import type {
  CompressionItem,
  Exchange,
  HistoryEntry,
  HistoryView,
  SingleEntry,
  TokenCounter,
} from "@agent-history/core";

import { isOverlay } from "./show-view.ts";

/** What decides which items may be covered. */
export interface ProtectionOptions {
  readonly view: HistoryView;
  readonly counter: TokenCounter;
  readonly preserveMemory: boolean;
  readonly tailTokens: number;
}

/** What a view shows, in items. */
export interface ViewItems {
  /** The view's own entries, in order. */
  readonly members: readonly HistoryEntry[];
  /** Oldest first. */
  readonly items: readonly CompressionItem[];
}

/** Groups the entries of a view into items and says which may be covered. Linear. */
export function viewItems(
  shown: readonly HistoryEntry[],
  { view, counter, preserveMemory, tailTokens }: ProtectionOptions,
): ViewItems {
  const isMember = (entry: HistoryEntry): boolean =>
    isOverlay(entry) ? entry.view === view : isInView(entry, view);
  const members = shown.filter(isMember);
  const isFixed = fixedEntries(members, view, preserveMemory);
  // An agent goes on when the user speaks, which its own view does not show: what either says runs is kept.
  const running = new Set([...runningActions(shown), ...runningActions(members)]);
  const agentId = view.startsWith("agent:") ? view.slice("agent:".length) : undefined;
  const viewer = agentId === undefined ? {} : { agentId };
  const items = withUploads(groupExchanges(shown)).flatMap((all): readonly CompressionItem[] => {
    const entries = all.filter(isMember);
    const [first] = entries;
    if (first === undefined) return [];
    // What another view shares cannot be covered whole.
    const isCoverable =
      entries.length === all.length && !running.has(first) && !entries.some(isFixed);
    const tokens = entries.reduce((sum, entry) => sum + counter.countEntry(entry, viewer), 0);
    return [{ entries, tokens, isCoverable, isEarlierSummary: isOverlay(first) }];
  });
  return { members, items: keepTail(items, tailTokens) };
}

/** The entries of each group; an upload goes with the user message that brought it, as it is shown with it or not at all. */
function withUploads(
  groups: readonly (Exchange | SingleEntry)[],
): readonly (readonly HistoryEntry[])[] {
  const messages = new Map<string, HistoryEntry[]>();
  return groups.flatMap((group): readonly (readonly HistoryEntry[])[] => {
    if (group.kind === "exchange") return [group.entries];
    const { entry } = group;
    const message = entry.type === "attachment" ? messages.get(entry.messageId) : undefined;
    if (message !== undefined) {
      message.push(entry);
      return [];
    }
    const own = [entry];
    if (entry.type === "user_message") messages.set(entry.id, own);
    return [own];
  });
}

function fixedEntries(
  members: readonly HistoryEntry[],
  view: HistoryView,
  preserveMemory: boolean,
): (entry: HistoryEntry) => boolean {
  const question = members.findLast(({ type }) => type === "user_message");
  const isTaskKept = question === undefined || view.startsWith("agent:");
  const task = isTaskKept ? members.findLast(({ type }) => type === "task") : undefined;
  // Without its answer a question that was answered would read as one that waits.
  const newest = members.at(-1);
  const answer = newest !== undefined && ANSWERS.has(newest.type) ? newest : undefined;
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const { id } of members) (seen.has(id) ? doubled : seen).add(id);
  return (entry) =>
    entry.type === "system_message" ||
    entry.pinned === true ||
    (entry.type === "memory" && preserveMemory) ||
    (entry.type === "summary" && entry.view === undefined) ||
    entry === question ||
    entry === task ||
    entry === answer ||
    doubled.has(entry.id);
}

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);

function runningActions(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return groupExchanges(entries).flatMap((group) =>
    group.kind === "exchange" && group.running ? [group.action] : [],
  );
}

function keepTail(
  items: readonly CompressionItem[],
  tailTokens: number,
): readonly CompressionItem[] {
  let left = tailTokens;
  let start = items.length;
  for (const [index, { tokens }] of [...items.entries()].toReversed()) {
    left -= tokens;
    if (left < 0) break;
    start = index;
  }
  return items.map((item, index) => (index >= start ? { ...item, isCoverable: false } : item));
}
