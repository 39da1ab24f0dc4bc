import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { isGone } from "./working-plan.ts";

/** What plans keep that continue one another: each knows how much of the lists is its own. Whoever is the newest adds to them. */
interface SharedLists {
  /** As it came. */
  readonly kept: HistoryEntry[];
  /** As it is sent, with summaries; missing until somebody asks. */
  sent?: HistoryEntry[];
  /** Where among what is kept an id stands first; missing until somebody asks. */
  firsts?: Map<string, number>;
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
  readonly hashes: () => readonly string[];
  readonly checksum: () => string;
}

type Named = Pick<ReductionPlan, keyof PlanNames>;
type UnnamedPlan = Omit<ReductionPlan, keyof Named>;

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

/** Returns what a plan keeps, where it was made here. */
export function keptBy(plan: ReductionPlan): readonly HistoryEntry[] | undefined {
  const memory = memoryOf(plan);
  return memory?.lists.kept.slice(0, memory.keptCount);
}

/** Completes a plan, and remembers what it keeps of entries. */
export function rememberPlan(
  plan: UnnamedPlan,
  names: PlanNames,
  entries: readonly HistoryEntry[],
): ReductionPlan {
  const kept: HistoryEntry[] = [];
  let index = 0;
  for (const { action, entryCount } of plan.decisions) {
    const end = index + entryCount;
    for (index = isGone(action) ? end : index; index < end; index++) {
      const entry = entries[index];
      if (entry !== undefined) kept.push(entry);
    }
  }
  return remember(plan, names, { lists: { kept }, keptCount: kept.length, sentCount: undefined });
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
  const added = entries.slice(planned);
  let { lists } = memory;
  if (lists.kept.length > keptCount && added.length > 0) {
    // Another plan has gone on from there.
    lists = { kept: lists.kept.slice(0, keptCount) };
  }
  const { kept, sent, firsts } = lists;
  for (const entry of added) {
    if (firsts !== undefined && !firsts.has(entry.id)) firsts.set(entry.id, kept.length);
    kept.push(entry);
    sent?.push(entry);
  }
  return remember(plan, names, {
    lists,
    keptCount: keptCount + added.length,
    sentCount: sent === undefined || sentCount === undefined ? undefined : sentCount + added.length,
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
  const { kept } = memory.lists;
  let index = 0;
  let nth = 0;
  for (const { action, from, to, entryCount } of plan.decisions) {
    const end = index + entryCount;
    if (isGone(action)) {
      if (entries[index]?.id !== from || entries[end - 1]?.id !== to) return undefined;
      index = end;
    }
    for (; index < end; index++, nth++) {
      if (entries[index] === undefined || entries[index] !== kept[nth]) return undefined;
    }
  }
  return nth === memory.keptCount ? index : undefined;
}

/** Returns whether a plan that was made here keeps an entry of one of these ids. */
export function keepsOneOf(plan: ReductionPlan, ids: ReadonlySet<string>): boolean {
  const memory = memoryOf(plan);
  if (memory === undefined) return false;
  const { lists, keptCount } = memory;
  lists.firsts ??= firstsOf(lists.kept);
  for (const id of ids) {
    const first = lists.firsts.get(id);
    if (first !== undefined && first < keptCount) return true;
  }
  return false;
}

function firstsOf(kept: readonly HistoryEntry[]): Map<string, number> {
  const firsts = new Map<string, number>();
  for (const [nth, { id }] of kept.entries()) if (!firsts.has(id)) firsts.set(id, nth);
  return firsts;
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
