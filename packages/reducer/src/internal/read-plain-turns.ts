import type { Decision, HistoryEntry } from "@agent-history/core";

import { hasMedia } from "../steps/stub-old-media.ts";
import type { Continuation } from "./continue-plan.ts";
import { DecisionCursor } from "./decision-cursor.ts";
import type { FitContext } from "./fit-context.ts";
import { plainTurns } from "./plain-turns.ts";
import type { PlainTurn } from "./plain-turns.ts";
import { endOfRound } from "./plainly-running.ts";
import { takeItems } from "./plan-memory.ts";
import type { Own } from "./seal-plan.ts";
import { NEW_ITEM } from "./working-items.ts";
import { addSize, currentEntry, isGone, RUNNING, setEdit, SYSTEM } from "./working-plan.ts";
import type { WorkingItem, WorkingPlan } from "./working-plan.ts";

/** A draft of a cut, and the turns that its items are. */
export interface PlainDraft {
  readonly draft: WorkingPlan;
  /** Oldest first; the last one is being answered. */
  readonly turns: readonly PlainTurn[];
}

/**
 * Drafts a cut where what an earlier plan keeps and what came since is nothing but plain turns. One pass: no calls are paired, no turns numbered, no
 * roles compared.
 *
 * @returns Nothing where it is not that plain: pins, media, sources, summaries, other types, calls without results, turns that are not plain; or
 *   where the counter is asynchronous.
 */
export function readPlainTurns(
  { entries, plan: { decisions, repairs, repairedFrom }, planned, earlier }: Continuation,
  { countNow }: FitContext,
): PlainDraft | undefined {
  const question = questionOf(entries, decisions);
  if (question === undefined) return undefined;
  const cursor = new DecisionCursor(decisions);
  const log = { entries, ...question, planned };
  const known = takeItems(earlier);
  const items: WorkingItem[] = [];
  let total = 0;
  for (let index = 0; index < entries.length;) {
    const decision = cursor.at(index);
    if (decision !== undefined && isGone(decision.action)) {
      index += decision.entryCount;
      continue;
    }
    const before = known[items.length];
    const isKnown = before?.position === index;
    const item = isKnown ? readAgain(before, log) : itemAt(index, log, cursor, countNow);
    if (item === undefined) return undefined;
    items.push(item);
    total += item.tokens;
    index += item.entries.length;
  }
  const turns = plainTurns(items, entries);
  if (turns === undefined) return undefined;
  return {
    turns,
    draft: {
      entries,
      repaired: { repairs, repairedFrom },
      decided: new DecisionCursor(decisions),
      items,
      itemOf: new Map(),
      units: [],
      question: entries[question.asked],
      newest: entries.at(-1),
      skipped: [],
      total,
    },
  };
}

/** What of a draft may be read again: all that stays, but for the last, which may grow. */
export function keptItems({ items }: Pick<WorkingPlan, "items">): readonly WorkingItem[] {
  return items.filter((item, nth) => !item.isDropped && nth < items.length - 1);
}

/** What is being answered. */
interface Question {
  /** The index of the newest request. */
  readonly asked: number;
  /** The index of the first request in a row with it. */
  readonly begin: number;
}

/** Finds what is being answered behind the last gap. Nothing where the history ends in a gap, or a summary stands in one. */
function questionOf(
  entries: readonly HistoryEntry[],
  decisions: readonly Decision[],
): Question | undefined {
  let index = 0;
  let lastGap = 0;
  for (const { action, entryCount } of decisions) {
    index += entryCount;
    if (action.kind === "summarize") return undefined;
    if (action.kind === "drop") lastGap = index;
  }
  if (lastGap === entries.length) return undefined;
  let asked = entries.length - 1;
  while (asked >= lastGap && entries[asked]?.type !== "user_message") asked -= 1;
  if (asked < lastGap) return undefined;
  let begin = asked;
  while (entries[begin - 1]?.type === "user_message") begin -= 1;
  return { asked, begin };
}

interface Log extends Question {
  readonly entries: readonly HistoryEntry[];
  /** How many of the first entries the earlier plan is about. */
  readonly planned: number;
}

/** Reads what begins at an index: a message, or an action with its results. Nothing where it is not plain. */
function itemAt(
  position: number,
  { entries, asked, begin, planned }: Log,
  cursor: DecisionCursor,
  countNow: FitContext["countNow"],
): WorkingItem | undefined {
  const first = entries[position];
  if (first === undefined || !PLAIN.has(first.type)) return undefined;
  const { type, turnId, agent } = first;
  const isRound = type === "action";
  const end = isRound ? endOfRound(first, position, entries) : position + 1;
  if (end === undefined) return undefined;
  const isNewest = end === entries.length;
  const protectedAs = position === asked ? ASKED : protectionOf(type, isNewest);
  const item: WorkingItem = {
    ...NEW_ITEM,
    entries: isRound ? entries.slice(position, end) : [first],
    position,
    heading: { type, turnId, agentId: agent?.id },
    isOfThisTurn: position >= begin,
    isRunning: isNewest && isRound,
    protectedAs,
    isProtected: protectedAs !== undefined,
    wasSent: position < planned,
  };
  for (let index = position + 1; index < end; index++) {
    if (entries[index]?.turnId !== turnId) return undefined;
  }
  return countItem(item, cursor, countNow) ? item : undefined;
}

/** Takes up an item of the cut before, as it was left. */
function readAgain(item: Own<WorkingItem>, { asked, begin }: Log): WorkingItem {
  const { position, heading } = item;
  const isSystem = heading?.type === "system_message";
  item.protectedAs = position === asked ? ASKED : isSystem ? SYSTEM : undefined;
  item.isProtected = item.protectedAs !== undefined;
  item.isOfThisTurn = position >= begin;
  item.wasSent = true;
  item.because = undefined;
  return item;
}

/** Counts an item, with the edits that an earlier plan made of it; tells whether it is plain and all of it stays. */
function countItem(
  item: WorkingItem,
  cursor: DecisionCursor,
  countNow: FitContext["countNow"],
): boolean {
  const { entries, position } = item;
  item.counted = 0;
  for (let nth = 0; nth < entries.length; nth++) {
    const entry = entries[nth];
    const tokens = entry && isPlain(entry) ? countNow(entry) : undefined;
    if (entry === undefined || tokens === undefined) return false;
    item.counted += tokens;
    let size: number | undefined = tokens;
    const decision = cursor.at(position + nth);
    if (decision !== undefined && decision.action.kind !== "keep") {
      const { action, step, reason } = decision;
      if (action.kind !== "edit") return false;
      setEdit(item, entry, { edit: action.edit, because: { step, reason } });
      size = countNow(currentEntry(item, entry));
      if (size === undefined) return false;
    }
    addSize(item, entry, size);
  }
  return true;
}

const ASKED = "question";

const PLAIN: ReadonlySet<string> = new Set([
  "system_message",
  "user_message",
  "action",
  "assistant_message",
]);

function isPlain(entry: HistoryEntry): boolean {
  const hasSources = entry.type === "observation" && entry.sources !== undefined;
  return entry.pinned !== true && !hasSources && !hasMedia(entry);
}

function protectionOf(type: HistoryEntry["type"], isNewest: boolean): string | undefined {
  if (isNewest && type === "action") return RUNNING;
  if (type === "system_message") return SYSTEM;
  return isNewest ? "newest entry" : undefined;
}
