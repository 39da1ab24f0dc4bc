import type { HistoryEntry } from "@agent-history/core";

import { hasMedia } from "../steps/stub-old-media.ts";
import { keptIndexes, takeUpEdits } from "./build-working-plan.ts";
import type { Continuation } from "./continue-plan.ts";
import type { FitContext } from "./fit-context.ts";
import { plainTurns } from "./plain-turns.ts";
import type { PlainTurn } from "./plain-turns.ts";
import { endOfRound } from "./plainly-running.ts";
import { newItem } from "./working-items.ts";
import { addSize, currentEntry, fixedAs, RUNNING } from "./working-plan.ts";
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
  context: FitContext,
): PlainDraft | undefined {
  const { indexes, decided } = keptIndexes({ entries, decisions, from: 0, fixed: [] });
  const asked = indexes.findLast((index) => entries[index]?.type === "user_message");
  const isStanding = indexes.at(-1) === entries.length - 1;
  const hasSummary = decisions.some(({ action }) => action.kind === "summarize");
  if (asked === undefined || !isStanding || hasSummary) return undefined;
  let begin = asked;
  while (entries[begin - 1]?.type === "user_message") begin -= 1;
  const log = { entries, decided, asked, begin, planned };
  const items: WorkingItem[] = [];
  let total = 0;
  for (let nth = 0; nth < indexes.length;) {
    const item = itemAt(indexes[nth] ?? 0, log, context);
    if (item === undefined) return undefined;
    const { length } = item.entries;
    nth += length;
    // An action and its results are kept as one.
    if (indexes[nth - 1] !== item.position + length - 1) return undefined;
    items.push(item);
    total += item.tokens;
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
      question: entries[asked],
      newest: entries.at(-1),
      skipped: [],
      total,
    },
  };
}

interface Log extends Pick<WorkingPlan, "entries" | "decided"> {
  /** The index of the newest request. */
  readonly asked: number;
  /** The index of the first request in a row with it. */
  readonly begin: number;
  /** How many of the first entries the earlier plan is about. */
  readonly planned: number;
}

/** Counts what begins at an index: a message, or an action with its results. Nothing where it is not plain. */
function itemAt(
  position: number,
  { entries, decided, asked, begin, planned }: Log,
  { countNow }: FitContext,
): WorkingItem | undefined {
  const first = entries[position];
  if (first === undefined || !PLAIN.has(first.type)) return undefined;
  const isRound = first.type === "action";
  const end = isRound ? endOfRound(first, position, entries) : position + 1;
  if (end === undefined) return undefined;
  const isNewest = end === entries.length;
  const protectedAs = protectionOf(first, { isAsked: position === asked, isNewest });
  const item = newItem(entries.slice(position, end), {
    position,
    isOfThisTurn: position >= begin,
    isRunning: isNewest && isRound,
    protectedAs,
    isProtected: protectedAs !== undefined,
    wasSent: position < planned,
  });
  takeUpEdits(item, decided);
  item.counted = 0;
  for (const entry of item.entries) {
    const tokens = countNow(entry);
    const current = currentEntry(item, entry);
    const size = current === entry ? tokens : countNow(current);
    if (!isPlain(entry) || tokens === undefined || size === undefined) return undefined;
    item.counted += tokens;
    addSize(item, entry, size);
  }
  return item;
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
