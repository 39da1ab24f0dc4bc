import { groupExchanges } from "@agent-history/core";
import type {
  Decision,
  DecisionAction,
  EntryEdit,
  HistoryEntry,
  ReductionPlan,
} from "@agent-history/core";

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
  /** Tokens as it came; unknown where it lies beyond the horizon, and is left out of the draft. */
  counted?: number;
  tokens: number;
  /** Tokens of what is left of each entry. */
  readonly sizes: Map<HistoryEntry, number>;
  isDropped: boolean;
  score?: number;
  because?: Because;
  readonly edits: Map<HistoryEntry, { readonly edit: EntryEdit; readonly because: Because }>;
  /** The summary that stands for it and others, at the first of their entries. */
  summary?: Pick<Decision, "action" | "tokensAfter"> & { readonly at: HistoryEntry | undefined };
}

/** A reduction while it is decided upon. */
export interface Draft {
  readonly entries: readonly HistoryEntry[];
  /** What was mended, and from where on. */
  readonly mended: Pick<ReductionPlan, "repairs" | "mendedFrom">;
  /** What was counted, oldest first. */
  readonly items: readonly DraftItem[];
  /** The decisions of an earlier plan, by the places where their runs begin. They hold for what no item covers. */
  readonly decided: ReadonlyMap<number, Decision>;
  readonly itemOf: ReadonlyMap<HistoryEntry, DraftItem>;
  readonly question: HistoryEntry | undefined;
  /** What steps could not do. */
  readonly skipped: Because[];
  total: number;
}

/** Tells whether nothing of a run is left but perhaps a summary. */
export function isGone({ kind }: DecisionAction): boolean {
  return kind === "drop" || kind === "summarise";
}

/** Tells whether an entry is part of an exchange, or should be. */
export function isTrace({ type }: HistoryEntry): boolean {
  return type === "action" || type === "observation";
}

/** What an entry is now. */
export function currentEntry(item: DraftItem, entry: HistoryEntry): HistoryEntry {
  const made = item.edits.get(entry);
  return made === undefined ? entry : editEntry(entry, made.edit);
}

/** Makes items of some entries, by their places among all, which are sound. */
export function itemsAt(
  places: readonly number[],
  all: readonly HistoryEntry[],
  sentUntil: number,
): Pick<Draft, "items" | "question"> {
  const entries = places.flatMap((place) => all[place] ?? []);
  const question = findQuestion(entries);
  const isOfThisTurn = thisTurn(entries, question);
  let index = 0;
  const items = groupExchanges(entries).map((group): DraftItem => {
    const isRunning = group.kind === "exchange" && group.running;
    const members = group.kind === "single" ? [group.entry] : [group.action, ...group.observations];
    const start = index;
    const place = places[start] ?? 0;
    index += members.length;
    const protectedAs = isRunning ? "running exchange" : protectionOf(members, question);
    return {
      entries: members,
      place,
      isOfThisTurn: isOfThisTurn(start),
      isRunning,
      protectedAs,
      isProtected: protectedAs !== undefined,
      wasSent: place < sentUntil,
      tokens: 0,
      sizes: new Map(),
      isDropped: false,
      edits: new Map(),
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
  return members.some(({ pinned }) => pinned === true) ? "pinned" : fixedAs(members[0]);
}

/** Why an entry stays, wherever it stands. */
export function fixedAs(entry: HistoryEntry | undefined): string | undefined {
  if (entry?.pinned === true) return "pinned";
  if (entry?.type === "system_message") return "system message";
  const isProviders = entry?.type === "summary" && entry.view === undefined;
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

/** Tells whether an entry is a user message too, or what came with one. */
export function standsWithQuestion(entry: HistoryEntry | undefined): boolean {
  return entry?.type === "user_message" || entry?.type === "attachment";
}
