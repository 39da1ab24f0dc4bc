import { groupExchanges } from "@agent-history/core";
import type { Decision, EntryEdit, HistoryEntry, Repair, SummaryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { ReductionItem } from "../reduction-step.ts";

/** Which step did a thing, and why. */
export interface Because {
  readonly step: string;
  readonly reason: string;
}

/** An item while it is decided upon. */
export interface DraftItem extends ReductionItem {
  /** Its place among the mended entries. */
  readonly place: number;
  /** Why it may not be dropped. */
  readonly protectedAs: string | undefined;
  /** Tokens as it came; unknown where it lies beyond the horizon. */
  counted: number | undefined;
  tokens: number;
  isDropped: boolean;
  score?: number;
  because: Because | undefined;
  readonly edits: Map<HistoryEntry, { readonly edit: EntryEdit; readonly because: Because }>;
  /** A summary stands for it. */
  isSummarised: boolean;
  /** The summary that stands at its place, for it and others. */
  summary: { readonly entry: SummaryEntry; readonly tokens: number } | undefined;
}

/** A run that an earlier plan dropped or summarised, and that is not looked at again. */
export interface Gap {
  readonly place: number;
  readonly decision: Decision;
}

/** A reduction while it is decided upon. */
export interface Draft {
  readonly entries: readonly HistoryEntry[];
  readonly repairs: readonly Repair[];
  /** Oldest first. */
  readonly items: readonly DraftItem[];
  readonly gaps: readonly Gap[];
  readonly question: HistoryEntry | undefined;
  total: number;
}

/** What an entry is now. */
export function currentEntry(item: DraftItem, entry: HistoryEntry): HistoryEntry {
  const made = item.edits.get(entry);
  return made === undefined ? entry : editEntry(entry, made.edit);
}

/** Finds the item of each entry. */
export function itemsByEntry(draft: Draft): ReadonlyMap<HistoryEntry, DraftItem> {
  return new Map(
    draft.items.flatMap((item) => item.entries.map((entry) => [entry, item] as const)),
  );
}

/** Makes items of entries that are sound, with the places they have among all. */
export function itemsOf(
  entries: readonly HistoryEntry[],
  placeOf: (index: number) => number,
  sentUntil: number,
): { readonly items: readonly DraftItem[]; readonly question: HistoryEntry | undefined } {
  const question = findQuestion(entries);
  const isOfThisTurn = thisTurn(entries, question);
  let index = 0;
  const items = groupExchanges(entries).map((group): DraftItem => {
    const isRunning = group.kind === "exchange" && group.running;
    const members = group.kind === "single" ? [group.entry] : [group.action, ...group.observations];
    const start = index;
    index += members.length;
    const protectedAs = isRunning ? "running exchange" : protectionOf(members, question);
    return {
      entries: members,
      place: placeOf(start),
      isOfThisTurn: isOfThisTurn(start),
      isRunning,
      protectedAs,
      isProtected: protectedAs !== undefined,
      wasSent: placeOf(start) < sentUntil,
      counted: undefined,
      tokens: 0,
      isDropped: false,
      because: undefined,
      edits: new Map(),
      isSummarised: false,
      summary: undefined,
    };
  });
  return { items, question };
}

function findQuestion(entries: readonly HistoryEntry[]): HistoryEntry | undefined {
  return (
    entries.findLast(({ type }) => type === "user_message") ??
    entries.findLast(({ type }) => type === "task")
  );
}

function protectionOf(
  members: readonly HistoryEntry[],
  question: HistoryEntry | undefined,
): string | undefined {
  if (question !== undefined && members.includes(question)) return "question";
  if (members.some(({ pinned }) => pinned === true)) return "pinned";
  const [first] = members;
  if (first?.type === "system_message") return "system message";
  const isProviders = first?.type === "summary" && first.view === undefined;
  return isProviders ? "provider's compaction" : undefined;
}

/** Tells which entries belong to the turn being answered: from the first of its user messages in a row, or by its id. */
function thisTurn(
  entries: readonly HistoryEntry[],
  question: HistoryEntry | undefined,
): (index: number) => boolean {
  if (question === undefined) return () => true;
  let start = entries.lastIndexOf(question);
  while (start > 0 && standsWithQuestion(entries[start - 1])) start -= 1;
  const { turnId } = question;
  return (index) => index >= start || (turnId !== undefined && entries[index]?.turnId === turnId);
}

function standsWithQuestion(entry: HistoryEntry | undefined): boolean {
  return entry?.type === "user_message" || entry?.type === "attachment";
}
