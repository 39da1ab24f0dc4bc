import type {
  Decision,
  DecisionAction,
  EntryEdit,
  HistoryEntry,
  MessageRole,
  ReductionPlan,
} from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { ReductionItem } from "../reduction-step.ts";

/** Which step did a thing, and why. */
export interface Because {
  readonly step: string;
  readonly reason: string;
}

/** What a text that was not counted as a whole may have. */
export interface Guess {
  /** Tokens as the entry came. */
  readonly tokens: number;
  /** Tokens that it has at least; 0 where nothing is known. */
  readonly least: number;
  /** By which it was shortened, unseen, as larger than a result may be. */
  readonly edit?: EntryEdit;
  /** A part of it has more tokens than any prompt holds. */
  readonly isTooLarge?: true;
}

/** By what an entry was made smaller, and why. */
export interface Edited {
  readonly edit: EntryEdit;
  readonly because: Because;
}

/** What is asked of an item's entries when plain turns are read. */
export interface Heading {
  /** Of the first. */
  readonly type: HistoryEntry["type"];
  /** Of all of them. */
  readonly turnId: string | undefined;
  readonly agentId: string | undefined;
}

/** An item while it is decided upon. */
export interface WorkingItem extends ReductionItem {
  /** Its place among the repaired entries. */
  readonly position: number;
  /** Missing where it was not read as part of a plain turn. */
  readonly heading: Heading | undefined;
  turn: number;
  mayGoFirst: boolean;
  /** Why it may not be dropped. */
  readonly protectedAs: string | undefined;
  /** Tokens as it came; unknown where it lies beyond the horizon, and is left out of the draft. */
  counted: number | undefined;
  /** What is guessed of entries, and counted only where it stays. */
  guesses?: Map<HistoryEntry, Guess>;
  tokens: number;
  /** Tokens of what is left of each entry, by its place, where there are several. */
  sizes: number[] | undefined;
  /** The places of entries, where there are many. */
  places?: ReadonlyMap<HistoryEntry, number>;
  isDropped: boolean;
  score?: number;
  because: Because | undefined;
  /** Missing until the first: few have any. */
  edits: Map<HistoryEntry, Edited> | undefined;
  /** The role that it begins as for the viewer; `undefined` where it stands for itself. */
  opens: MessageRole | undefined;
  /** The role that it ends as. */
  closes: MessageRole | undefined;
  /** How often the role had changed in the history when it begins, and when it ends. */
  opensAt: number | undefined;
  closesAt: number | undefined;
  /** Is shown in no role, as an instruction, or not at all: it parts nothing. */
  isSilent?: true;
  /** Asks its viewer for something. */
  isRequest: boolean;
  unit: Unit;
  /** Why it goes only where nothing else is left to give: it opens the history, or what is protected stands in its turn; or not at all: the prompt begins with it. */
  held: "opening" | "start" | "lead" | undefined;
  /** The summary that stands for it and others, at the first of their entries. */
  summary?: Pick<Decision, "action" | "tokensAfter"> & { readonly at: HistoryEntry | undefined };
}

/** Turns that stay or go as one, or what stands for itself. */
export interface Unit {
  /** Oldest first. */
  items: WorkingItem[];
  /** Is a system message, a summary or a memory. */
  readonly isAside: boolean;
  /** Stands among entries of the turn of the question: roles may not alternate where it is gone. */
  readonly isLoose: boolean;
  /** Is the turn of the question, which stays: the rest of it goes one by one. */
  holdsQuestion: boolean;
  /** Its request and answer were shortened to what the opening of a history keeps. */
  isCondensed?: true;
}

/** A reduction while it is decided upon. */
export interface WorkingPlan {
  readonly entries: readonly HistoryEntry[];
  /** What was repaired, and from where on. */
  readonly repaired: Pick<ReductionPlan, "repairs" | "repairedFrom">;
  /** What was counted, oldest first. */
  readonly items: readonly WorkingItem[];
  /** The decisions of an earlier plan, by the places where their runs begin. They hold for what no item covers. */
  readonly decided: Pick<ReadonlyMap<number, Decision>, "get">;
  readonly itemOf: ReadonlyMap<HistoryEntry, WorkingItem>;
  readonly units: readonly Unit[];
  readonly question: HistoryEntry | undefined;
  /** The newest entry of the given history that was not repaired away. */
  readonly newest: HistoryEntry | undefined;
  /** What steps could not do. */
  readonly skipped: Because[];
  total: number;
}

/** Returns whether nothing of a run is left but perhaps a summary. */
export function isGone({ kind }: DecisionAction): boolean {
  return kind === "drop" || kind === "summarize";
}

/** Returns whether an entry is part of an exchange, or should be. */
export function isTrace({ type }: HistoryEntry): boolean {
  return type === "action" || type === "observation";
}

/** Returns whether of an entry that is guessed what is left is guessed, too. */
export function isOpen({ guesses, edits }: WorkingItem, entry: HistoryEntry): boolean {
  const guess = guesses?.get(entry);
  return guess !== undefined && guess.edit === edits?.get(entry)?.edit;
}

/** Tokens of what is left of an entry. */
export function sizeOf(item: WorkingItem, entry: HistoryEntry): number {
  const { entries, tokens, sizes } = item;
  return entries.length === 1 ? tokens : (sizes?.[placeOf(item, entry)] ?? 0);
}

/** Up to this many entries, looking through them is faster than a map. */
const FEW = 8;

function placeOf(item: WorkingItem, entry: HistoryEntry): number {
  const { entries } = item;
  if (entries.length <= FEW) return entries.indexOf(entry);
  item.places ??= new Map(entries.map((one, place) => [one, place]));
  return item.places.get(entry) ?? -1;
}

/** Writes down the tokens of an entry for the first time. */
export function addSize(item: WorkingItem, entry: HistoryEntry, tokens: number): void {
  if (item.entries.length > 1) {
    item.sizes ??= item.entries.map(() => 0);
    item.sizes[placeOf(item, entry)] = tokens;
  }
  item.tokens += tokens;
}

/** Writes down the tokens of what is left of an entry. */
export function setSize(
  draft: WorkingPlan,
  item: WorkingItem,
  entry: HistoryEntry,
  tokens: number,
): void {
  const more = tokens - sizeOf(item, entry);
  if (item.sizes !== undefined) item.sizes[placeOf(item, entry)] = tokens;
  item.tokens += more;
  if (!item.isDropped) draft.total += more;
}

/** Writes down by what an entry is made smaller. */
export function setEdit(item: WorkingItem, entry: HistoryEntry, edited: Edited): void {
  (item.edits ??= new Map()).set(entry, edited);
}

/** What an entry is now. */
export function currentEntry(item: WorkingItem, entry: HistoryEntry): HistoryEntry {
  const made = item.edits?.get(entry);
  return made === undefined ? entry : editEntry(entry, made.edit);
}

/** Why an exchange stays: its agent has said nothing since. */
export const RUNNING = "running exchange";

/** Why a provider's own summary stays: it replaces everything before it, and a prompt may begin with it. */
export const PROVIDERS = "provider's compaction";

/** Why an instruction stays. */
export const SYSTEM = "system message";

/** Why an entry stays, wherever it stands. */
export function fixedAs(entry: HistoryEntry | undefined): string | undefined {
  if (entry?.pinned === true) return "pinned";
  if (entry?.type === "system_message") return SYSTEM;
  const isProviders = entry?.type === "summary" && entry.view === undefined;
  return isProviders ? PROVIDERS : undefined;
}

/** What says that an agent is done with an action: its next one, or what it says. As core pairs calls. */
export const GOES_ON: ReadonlySet<string> = new Set([
  "action",
  "assistant_message",
  "final",
  "synthesis",
  "task",
]);
