import { applyCompactions, groupExchanges, isInView, isOverlay } from "@agent-history/core";
import type {
  CompressionItem,
  Exchange,
  HistoryEntry,
  HistoryView,
  SingleEntry,
  SummaryEntry,
} from "@agent-history/core";

/**
 * Returns a history as its view shows it, given either the log with summaries to apply, or a store's read in which
 * they are applied already. Summaries of other views are left out.
 */
export function showView(
  entries: readonly HistoryEntry[],
  view: HistoryView,
): readonly HistoryEntry[] {
  const overlays = entries.filter(isOverlay);
  if (overlays.length === 0) return entries;
  if (isShown(entries, view)) {
    return entries.filter((entry) => !isOverlay(entry) || entry.view === view);
  }
  return applyCompactions(entries, view);
}

/** Returns whether the view's summaries are applied already. */
export function isShown(entries: readonly HistoryEntry[], view: HistoryView): boolean {
  const ids = new Set(entries.map(({ id }) => id));
  const own = entries.filter(isOverlay).filter((overlay) => overlay.view === view);
  return (
    own.length > 0 && own.every(({ covers = [] }) => !covers.some(({ from }) => ids.has(from)))
  );
}

/** Options that determine which items may be covered. */
export interface ProtectionOptions {
  readonly view: HistoryView;
  readonly preserveMemory: boolean;
  /** Default: no entry has tokens, and there is no tail. */
  readonly tokensOf?: (entry: HistoryEntry) => number;
  readonly tailTokens?: number;
}

/** A view as items. */
export interface ViewItems {
  /** The view's own entries, in order. */
  readonly members: readonly HistoryEntry[];
  /** Oldest first. */
  readonly items: readonly CompressionItem[];
}

/** Groups the entries of a view into items and says which may be covered. Linear. */
export function viewItems(
  shown: readonly HistoryEntry[],
  { view, preserveMemory, tokensOf = () => 0, tailTokens = -1 }: ProtectionOptions,
): ViewItems {
  const isMember = (entry: HistoryEntry): boolean =>
    isOverlay(entry) ? entry.view === view : isInView(entry, view);
  const members = shown.filter(isMember);
  const isFixed = fixedEntries(members, view, preserveMemory);
  // A user message ends an agent's exchange, but its own view does not show it: keep what runs in either reading.
  const running = new Set([...runningActions(shown), ...runningActions(members)]);
  const items = withUploads(groupExchanges(shown)).flatMap((all): readonly CompressionItem[] => {
    const entries = all.filter(isMember);
    const [first] = entries;
    if (first === undefined) return [];
    // Exchanges shared with another view cannot be covered whole.
    const isCoverable =
      entries.length === all.length && !running.has(first) && !entries.some(isFixed);
    const tokens = entries.reduce((sum, entry) => sum + tokensOf(entry), 0);
    return [{ entries, tokens, isCoverable, isEarlierSummary: isOverlay(first) }];
  });
  return { members, items: keepTail(items, tailTokens) };
}

/** The entries of each group. An upload belongs to its user message, because both are shown together or not at all. */
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
  // Without its answer, an answered question would read as an open one.
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
  const isInTail = items
    .toReversed()
    .map(({ tokens }) => (left -= tokens) >= 0)
    .toReversed();
  return items.map((item, index) =>
    isInTail[index] === true ? { ...item, isCoverable: false } : item,
  );
}

/** Returns the entries that a summary covers, by core's rules; `undefined` if its runs are not there in order. */
export type CoveredBy = (
  summary: Pick<SummaryEntry, "covers">,
) => readonly HistoryEntry[] | undefined;

/** Prepares a view for lookups of covered entries. */
export function coverageOf(shown: readonly HistoryEntry[], view: HistoryView): CoveredBy {
  const members = shown.filter((entry) =>
    isOverlay(entry) ? entry.view === view : isInView(entry, view),
  );
  const indexes = new Map(members.map(({ id }, index) => [id, index]));
  return ({ covers = [] }) => {
    const covered: HistoryEntry[] = [];
    let last = -1;
    for (const { from, to } of covers) {
      const start = indexes.get(from) ?? -1;
      const end = indexes.get(to) ?? -1;
      if (start <= last || end < start) return undefined;
      for (const entry of members.slice(start, end + 1))
        if (entry.type !== "system_message" && entry.pinned !== true) covered.push(entry);
      last = end;
    }
    return covered.length === 0 ? undefined : covered;
  };
}
