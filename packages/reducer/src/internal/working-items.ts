import { findQuestion, groupExchanges } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { fixedAs, GOES_ON, RUNNING } from "./working-plan.ts";
import type { Unit, WorkingItem, WorkingPlan } from "./working-plan.ts";

/** Makes items of some entries, by their indexes among all, which are valid. */
export function itemsAt(
  indexes: readonly number[],
  all: readonly HistoryEntry[],
  {
    sentUntil,
    viewer,
    newest,
  }: Pick<WorkingPlan, "newest"> & {
    readonly sentUntil: number;
    readonly viewer: Viewer | undefined;
  },
): Pick<WorkingPlan, "items" | "question"> {
  const entries: HistoryEntry[] = [];
  for (const entryIndex of indexes) {
    const entry = all[entryIndex];
    if (entry !== undefined) entries.push(entry);
  }
  const question = findQuestion(entries, viewer);
  const isOfThisTurn = thisTurn(entries, question);
  const goesOn = goingOnTest(all);
  let index = 0;
  const items = groupExchanges(entries).map((group): WorkingItem => {
    const members: readonly HistoryEntry[] =
      group.kind === "single" ? [group.entry] : group.entries;
    const start = index;
    const position = indexes[start] ?? 0;
    index += members.length;
    const isRunning =
      group.kind === "exchange" && group.running && !goesOn(indexes[index - 1] ?? 0);
    const isNewest = newest !== undefined && members.includes(newest);
    const protectedAs =
      (isRunning ? RUNNING : protectionOf(members, question)) ??
      (isNewest ? "newest entry" : undefined);
    return {
      ...NEW_ITEM,
      entries: members,
      position,
      isOfThisTurn: isOfThisTurn(start),
      isRunning,
      protectedAs,
      // The newest upload is shortened as others are.
      isProtected:
        protectedAs !== undefined &&
        (protectedAs !== "newest entry" || members[0]?.type !== "attachment"),
      wasSent: position < sentUntil,
    };
  });
  return { items, question };
}

/** Until units are formed. */
const NO_UNIT: Unit = { items: [], isAside: true, isLoose: false, holdsQuestion: false };

/** An item before its turn and roles are known, and before it is counted. */
export const NEW_ITEM: WorkingItem = {
  entries: [],
  position: 0,
  heading: undefined,
  isOfThisTurn: false,
  isRunning: false,
  protectedAs: undefined,
  isProtected: false,
  wasSent: false,
  counted: undefined,
  tokens: 0,
  sizes: undefined,
  isDropped: false,
  because: undefined,
  edits: undefined,
  isRequest: false,
  mayGoFirst: true,
  turn: 0,
  unit: NO_UNIT,
  opens: undefined,
  closes: undefined,
  opensAt: undefined,
  closesAt: undefined,
  held: undefined,
};

/** Returns whether the agent of an entry went on behind it, be it in what an earlier plan dropped. Looks at what stands behind, each entry once. */
function goingOnTest(all: readonly HistoryEntry[]): (index: number) => boolean {
  const lasts = new Map<string | undefined, number>();
  let asked = -1;
  let from = all.length;
  return (index) => {
    for (from -= 1; from > index; from--) {
      const { type, agent } = all[from] ?? {};
      if (type === "user_message") asked = Math.max(asked, from);
      else if (type !== undefined && GOES_ON.has(type) && !lasts.has(agent?.id)) {
        lasts.set(agent?.id, from);
      }
    }
    from += 1;
    return Math.max(asked, lasts.get(all[index]?.agent?.id) ?? -1) > index;
  };
}

function protectionOf(
  members: readonly HistoryEntry[],
  question: HistoryEntry | undefined,
): string | undefined {
  if (question !== undefined && members.includes(question)) return "question";
  return members.some(({ pinned }) => pinned === true) ? "pinned" : fixedAs(members[0]);
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

/** Returns whether an entry is a user message too, or what came with one. */
function standsWithQuestion(entry: HistoryEntry | undefined): boolean {
  return entry?.type === "user_message" || entry?.type === "attachment";
}
