import type { Decision, HistoryEntry } from "@agent-history/core";

import { hasMedia } from "../steps/stub-old-media.ts";
import type { Continuation } from "./continue-plan.ts";
import type { FitContext } from "./fit-context.ts";
import { plainTurns } from "./plain-turns.ts";
import type { PlainTurn } from "./plain-turns.ts";
import { endOfRound } from "./plainly-running.ts";
import { newItem } from "./working-items.ts";
import { addSize, currentEntry, fixedAs, isGone, RUNNING, setEdit } from "./working-plan.ts";
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
  { entries, plan: { decisions, repairs, repairedFrom }, planned }: Continuation,
  { countNow }: FitContext,
): PlainDraft | undefined {
  const question = questionOf(entries, decisions);
  if (question === undefined) return undefined;
  const decisionAt = cursorOf(decisions);
  const log = { entries, ...question, planned };
  const decided = new Map<number, Decision>();
  const items: WorkingItem[] = [];
  let total = 0;
  for (let index = 0; index < entries.length;) {
    const gap = decisionAt(index);
    if (gap !== undefined && isGone(gap.action)) {
      decided.set(index, gap);
      index += gap.entryCount;
      continue;
    }
    const item = itemAt(index, log);
    if (item === undefined || !countItem(item, decisionAt, countNow)) return undefined;
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
      decided,
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

/** Tells which decision is about an index; asked from the first one on. None is about what came since. */
function cursorOf(decisions: readonly Decision[]): (index: number) => Decision | undefined {
  let nth = 0;
  let end = decisions[0]?.entryCount ?? 0;
  return (index) => {
    while (index >= end && nth < decisions.length) {
      nth += 1;
      end += decisions[nth]?.entryCount ?? 0;
    }
    return decisions[nth];
  };
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
): WorkingItem | undefined {
  const first = entries[position];
  if (first === undefined || !PLAIN.has(first.type)) return undefined;
  const isRound = first.type === "action";
  const end = isRound ? endOfRound(first, position, entries) : position + 1;
  if (end === undefined) return undefined;
  const isNewest = end === entries.length;
  const protectedAs = protectionOf(first, { isAsked: position === asked, isNewest });
  return newItem(entries.slice(position, end), {
    position,
    isOfThisTurn: position >= begin,
    isRunning: isNewest && isRound,
    protectedAs,
    isProtected: protectedAs !== undefined,
    wasSent: position < planned,
  });
}

/** Counts an item, with the edits that an earlier plan made of it; tells whether it is plain and all of it stays. */
function countItem(
  item: WorkingItem,
  decisionAt: (index: number) => Decision | undefined,
  countNow: FitContext["countNow"],
): boolean {
  let index = item.position;
  item.counted = 0;
  for (const entry of item.entries) {
    const decision = decisionAt(index);
    index += 1;
    const tokens = countNow(entry);
    if (tokens === undefined || !isPlain(entry)) return false;
    item.counted += tokens;
    let size: number | undefined = tokens;
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

function protectionOf(
  first: HistoryEntry,
  { isAsked, isNewest }: { readonly isAsked: boolean; readonly isNewest: boolean },
): string | undefined {
  if (isNewest && first.type === "action") return RUNNING;
  if (isAsked) return "question";
  return fixedAs(first) ?? (isNewest ? "newest entry" : undefined);
}
