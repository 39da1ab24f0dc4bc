import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";

import { givesUp } from "./given-up.ts";
import { isGone } from "./working-plan.ts";
import type { WorkingItem } from "./working-plan.ts";

/** A run of the history that a plan dropped: where it stands among what is kept, and what it begins and ends with. */
interface Gap extends Pick<Decision, "from" | "to" | "entryCount"> {
  readonly keptBefore: number;
}

/** What plans keep that continue one another: each knows how much of the lists is its own. Whoever is the newest adds to them. */
interface SharedLists {
  /** As it came. */
  readonly kept: HistoryEntry[];
  /** Oldest first. What a plan adds has none. */
  readonly gaps: readonly Gap[];
  /** What a plan adds gives nothing up. */
  readonly hasGivenUp: boolean;
  /** As it is sent, with summaries; missing until somebody asks. */
  sent?: HistoryEntry[];
  /** The ids of all that is kept, and of some that was once; missing until somebody asks. */
  ids?: Set<string>;
  /** What a cut of plain turns kept, but for the newest, until the next cut takes it; missing where none made the lists. */
  items?: readonly WorkingItem[] | undefined;
}

/** What a plan that was made here keeps: the same objects are known again without a hash. Affects speed, never results. */
interface PlanMemory {
  readonly plan: ReductionPlan;
  readonly names: PlanNames;
  readonly lists: SharedLists;
  readonly keptCount: number;
  sentCount: number | undefined;
}

/** What a plan says of its contents, computed when somebody first asks. */
export interface PlanNames {
  /** The caller names contents, by no hash. */
  readonly isNamed: boolean;
  readonly hashes: () => readonly string[];
  readonly checksum: () => string;
}

/** A plan before its contents are named. */
export type UnnamedPlan = Omit<ReductionPlan, "hashes" | "checksum">;

/**
 * Under this name a plan carries its memory, which takes a fraction of the time of a `WeakMap`. It is a function, so that whoever freezes or
 * watches plans leaves it alone.
 */
const MEMORY = Symbol("agent-history.plan");

/** A plan that may have been made here. */
interface Remembered {
  readonly [MEMORY]?: () => PlanMemory;
}

function memoryOf(plan: ReductionPlan & Remembered): PlanMemory | undefined {
  const memory = plan[MEMORY]?.();
  // What was made of a plan is another one.
  return memory?.plan === plan ? memory : undefined;
}

/** Getters that all plans share: an object with getters of its own is slow to make and to read. */
const HASHES = {
  enumerable: true,
  configurable: true,
  get(this: Remembered): readonly string[] | undefined {
    return this[MEMORY]?.().names.hashes();
  },
};

const CHECKSUM = {
  enumerable: true,
  configurable: true,
  get(this: Remembered): string | undefined {
    return this[MEMORY]?.().names.checksum();
  },
};

function nameLazily(plan: UnnamedPlan): asserts plan is ReductionPlan {
  Object.defineProperty(plan, "hashes", HASHES);
  Object.defineProperty(plan, "checksum", CHECKSUM);
}

function remember(
  plan: UnnamedPlan,
  names: PlanNames,
  { lists, keptCount, sentCount }: Pick<PlanMemory, "lists" | "keptCount" | "sentCount">,
): ReductionPlan {
  nameLazily(plan);
  const memory: PlanMemory = { plan, names, lists, keptCount, sentCount };
  return Object.defineProperty(plan, MEMORY, { value: () => memory });
}

/** Returns whether a plan was made here. */
export function isOurs(plan: ReductionPlan): boolean {
  return memoryOf(plan) !== undefined;
}

/** Returns whether a plan was made here by a caller who names contents, or by one who does not. */
export function isOursNamed(plan: ReductionPlan, isNamed: boolean): boolean {
  return memoryOf(plan)?.names.isNamed === isNamed;
}

/** Returns what a plan keeps, where it was made here. */
export function keptBy(plan: ReductionPlan): readonly HistoryEntry[] | undefined {
  const memory = memoryOf(plan);
  return memory?.lists.kept.slice(0, memory.keptCount);
}

/** What a plan follows, where it does, and what was read to make it. */
interface Followed {
  /** Most ids of what is kept are known from there. */
  readonly earlier?: ReductionPlan | undefined;
  /** What a cut of plain turns keeps. */
  readonly items?: SharedLists["items"];
}

/** Of more ids than this many times what is kept, those of old entries are forgotten. */
const MOST_IDS = 4;

/** Completes a plan, and remembers what it keeps of entries. */
export function rememberPlan(
  plan: UnnamedPlan,
  names: PlanNames,
  entries: readonly HistoryEntry[],
  { earlier, items }: Followed = {},
): ReductionPlan {
  const kept: HistoryEntry[] = [];
  const gaps: Gap[] = [];
  let index = 0;
  const { decisions } = plan;
  for (let nth = 0; nth < decisions.length; nth++) {
    const decision = decisions[nth];
    if (decision === undefined) continue;
    const { action, from, to, entryCount } = decision;
    const end = index + entryCount;
    if (isGone(action)) {
      gaps.push({ keptBefore: kept.length, from, to, entryCount });
      index = end;
    }
    for (; index < end; index++) {
      const entry = entries[index];
      if (entry !== undefined) kept.push(entry);
    }
  }
  const lists: SharedLists = { kept, gaps, hasGivenUp: plan.decisions.some(givesUp), items };
  const ids = earlier && idsWith(kept, memoryOf(earlier));
  if (ids !== undefined) lists.ids = ids;
  return remember(plan, names, { lists, keptCount: kept.length, sentCount: undefined });
}

/** Takes what the cut kept behind which a plan grew, from the oldest on, where it was of plain turns and nobody has taken it: whoever has it may change it. */
export function takeItems(plan: ReductionPlan): readonly WorkingItem[] {
  const lists = memoryOf(plan)?.lists;
  const items = lists?.items ?? [];
  if (lists !== undefined) lists.items = undefined;
  return items;
}

/** Adds to the ids of what an earlier plan keeps those of what another one keeps beyond it; nothing where they are not known, or are too many. */
function idsWith(
  kept: readonly HistoryEntry[],
  earlier: PlanMemory | undefined,
): Set<string> | undefined {
  const { ids, kept: before } = earlier?.lists ?? {};
  if (ids === undefined || before === undefined) return undefined;
  if (ids.size > kept.length * MOST_IDS) return undefined;
  // Both are in order, and most stand in both.
  let nth = 0;
  for (const entry of kept) {
    while (nth < before.length && before[nth] !== entry) nth += 1;
    if (nth >= before.length) ids.add(entry.id);
    nth += 1;
  }
  return ids;
}

/** Completes a plan that keeps all that an earlier one keeps, and what came since: `entries` from `planned` on. Costs what is new. */
export function rememberGrown(
  plan: UnnamedPlan,
  names: PlanNames,
  {
    earlier,
    entries,
    planned,
  }: {
    readonly earlier: ReductionPlan;
    readonly entries: readonly HistoryEntry[];
    readonly planned: number;
  },
): ReductionPlan {
  const memory = memoryOf(earlier);
  if (memory === undefined) return rememberPlan(plan, names, entries);
  const { keptCount, sentCount } = memory;
  let { lists } = memory;
  if (lists.kept.length > keptCount) {
    // Another plan has gone on from there.
    const { gaps, hasGivenUp } = lists;
    lists = { kept: lists.kept.slice(0, keptCount), gaps, hasGivenUp };
  }
  const { kept, sent, ids } = lists;
  for (let index = planned; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined) continue;
    ids?.add(entry.id);
    kept.push(entry);
    sent?.push(entry);
  }
  const count = kept.length - keptCount;
  return remember(plan, names, {
    lists,
    keptCount: kept.length,
    sentCount: sent === undefined || sentCount === undefined ? undefined : sentCount + count,
  });
}

/**
 * Returns how many entries a plan is about that was made here, where all that it keeps are the same objects still, between the same ends of what it
 * dropped.
 */
export function unchangedUntil(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
): number | undefined {
  const memory = memoryOf(plan);
  if (memory === undefined) return undefined;
  const { lists, keptCount } = memory;
  const { kept, gaps } = lists;
  let index = 0;
  let nth = 0;
  for (const { keptBefore, from, to, entryCount } of gaps) {
    for (; nth < keptBefore; nth++, index++) if (entries[index] !== kept[nth]) return undefined;
    const end = index + entryCount;
    if (entries[index]?.id !== from || entries[end - 1]?.id !== to) return undefined;
    index = end;
  }
  for (; nth < keptCount; nth++, index++) if (entries[index] !== kept[nth]) return undefined;
  return index;
}

/** Returns whether a plan that was made here dropped what may have a place again; nothing where it was not made here. */
export function gaveUpSomething(plan: ReductionPlan): boolean | undefined {
  return memoryOf(plan)?.lists.hasGivenUp;
}

/** Returns whether a plan that was made here keeps an entry with the id of one from an index on. */
export function keepsOneOf(
  plan: ReductionPlan,
  entries: readonly HistoryEntry[],
  from: number,
): boolean {
  const memory = memoryOf(plan);
  if (memory === undefined) return false;
  const { lists, keptCount } = memory;
  const { kept } = lists;
  const ids = (lists.ids ??= new Set(kept.map(({ id }) => id)));
  for (let index = from; index < entries.length; index++) {
    const id = entries[index]?.id ?? "";
    // It may have been kept once, or by another plan that has gone on from there.
    if (ids.has(id) && kept.slice(0, keptCount).some((entry) => entry.id === id)) return true;
  }
  return false;
}

/** Returns what a plan sends, where that is known. */
export function sentBy(plan: ReductionPlan): readonly HistoryEntry[] | undefined {
  const memory = memoryOf(plan);
  if (memory?.sentCount === undefined) return undefined;
  return memory.lists.sent?.slice(0, memory.sentCount);
}

/** Remembers what a plan sends, for those that continue it. */
export function rememberSent(plan: ReductionPlan, sent: readonly HistoryEntry[]): void {
  const memory = memoryOf(plan);
  // What another plan has added to is no longer this one's alone.
  if (memory === undefined || memory.lists.kept.length > memory.keptCount) return;
  memory.lists.sent = [...sent];
  memory.sentCount = sent.length;
}
