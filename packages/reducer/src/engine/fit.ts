import { HistoryError } from "@agent-history/core";
import type {
  Decision,
  HistoryEntry,
  PlanContinuation,
  Reduction,
  ReductionPlan,
} from "@agent-history/core";
import { addLoad, loadOf } from "@agent-history/core/kit";
import type { RequestLoad } from "@agent-history/core/kit";

import type { FitOptions } from "../fit-options.ts";
import { compactable, withCompacted } from "./compaction.ts";
import { openContext, withBudget } from "./context.ts";
import type { Asker, Context } from "./context.ts";
import { askTest, BESIDE, findHorizon } from "./horizon.ts";
import {
  brokenLimit,
  checkLimits,
  lessenEstimates,
  limitMedia,
  loadOfPlanned,
  plannedWindow,
  withEstimates,
} from "./limits.ts";
import { fitsNow, makeRoom, scoreUnits, shrinkKept } from "./make-room.ts";
import { fixedAs, parse } from "./parse.ts";
import { bindReasoning } from "./reasoning.ts";
import { resume } from "./resume.ts";
import type { Held } from "./resume.ts";
import { FAR, guessOf, LESS, openRoom } from "./room.ts";
import type { Room } from "./room.ts";
import { overLimit, tooSmall } from "./too-small.ts";
import {
  appendKept,
  carryOut,
  decisionsOf,
  isGone,
  keptEntries,
  newestOf,
  repairFrom,
  sealPlan,
} from "./write.ts";
import type { RecallBlock, Unsealed } from "./write.ts";

const HORIZON = 1.75;

/** A fit that continues an earlier plan. */
export interface RecallFit {
  /** The history as it was passed in. */
  readonly given: readonly HistoryEntry[];
  readonly held: Held;
  readonly context: Context;
}

/** A plan before it is sealed. */
export interface Planned {
  readonly plan: Omit<Unsealed, keyof RequestLoad>;
  /** Its bytes and images, if they are known. */
  readonly load?: RequestLoad | undefined;
  /** The repaired history that the plan covers. */
  readonly entries: readonly HistoryEntry[];
  readonly continued?: PlanContinuation | undefined;
  readonly blocks?: readonly RecallBlock[] | undefined;
}

/** Planning functions for recall blocks. */
export interface Planner {
  /** Appends new entries; `undefined` if room must be made. */
  readonly append: (fit: RecallFit) => Planned | undefined;
  readonly cut: (fit: RecallFit) => Planned;
  readonly seal: (planned: Planned, context: Context) => ReductionPlan;
}

const PLANNER: Planner = { append, cut, seal };

/**
 * Decides what to do with each entry, so that the request fits.
 *
 * @param windows - How much a stateless fit reads from the end, in context windows.
 */
export function planFit(
  given: readonly HistoryEntry[],
  options: FitOptions,
  asker: Asker,
  windows: number = HORIZON,
): PlannedFit {
  checkLimits(options.window);
  const { entries, context: opened } = withCompacted(
    given,
    withEstimates(openContext(options, asker, windows)),
  );
  for (let context = opened; ;) {
    let fit: PlannedFit;
    try {
      fit = planOnce(entries, context);
    } catch (error) {
      throw context === opened ? error : overLimit("maxBytes", options.window);
    }
    const { plan } = fit;
    const limit = brokenLimit(plan, options.window);
    if (limit === undefined) return fit;
    const { maxBytes = 0 } = options.window;
    // The texts alone exceed the byte limit: reduce the token budget.
    const used = Math.min(context.budget, plan.totalTokens - plan.requestTokens);
    const budget = Math.floor(used * Math.min(0.95, maxBytes / plan.totalBytes));
    if (limit !== "maxBytes" || budget <= 0) throw overLimit(limit, options.window, plan);
    context = withBudget(context, budget);
  }
}

/** A plan, and what a provider could summarize instead of its cut. */
export interface PlannedFit extends Pick<Reduction, "plan" | "compaction"> {}

function planOnce(given: readonly HistoryEntry[], context: Context): PlannedFit {
  const { previousPlan } = context.options;
  const { recall } = context;
  const held = previousPlan === undefined ? undefined : resume(given, previousPlan, context);
  if (held === undefined || typeof held === "string") {
    const continued = held && ({ entryCount: 0, stoppedBy: held } as const);
    const planned = planAnew(given, context, context.budget, Infinity);
    return { plan: seal({ ...planned, continued }, context) };
  }
  const fit = { given, held, context };
  if (recall !== undefined) return { plan: recall.proceed(fit, PLANNER) };
  const appended = append(fit);
  if (appended !== undefined) return { plan: seal(appended, context) };
  return { plan: seal(cut(fit), context), compaction: compactable(held, context) };
}

function seal(unbound: Planned, context: Context): ReductionPlan {
  const { options } = context;
  const { contentName } = options;
  const planned = bindReasoning(unbound, context);
  const { plan, entries, continued, blocks } = planned;
  const kept = keptEntries(entries, plan.decisions, "keep", "edit");
  const load = planned.load ?? loadOfPlanned(planned, options);
  const totalBytes =
    options.bytesOf?.(carryOut(entries, plan.decisions, blocks)) ?? load.totalBytes;
  return sealPlan({ ...plan, ...load, totalBytes }, kept, { contentName, continued, blocks });
}

/** Appends new entries if they fit; shortens a new result that alone is too large. */
function append(fit: RecallFit): Planned | undefined {
  const { held, context } = fit;
  const { entries, planned } = held;
  const { options } = context;
  let total = held.decisions.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  const added = entries.slice(planned);
  for (const entry of added) {
    if (total > context.budget) return undefined;
    if (entry.type === "observation" && entry.pinned !== true) {
      const { cap, count } = context;
      const guess = guessOf(entry, context)?.tokens ?? 0;
      if (guess > cap || count(entry) > cap) return appendCapped(fit);
    }
    total += context.count(entry);
  }
  if (total > context.budget) return undefined;
  const before = held.isWhole
    ? held.plan
    : loadOfPlanned({ plan: held, entries: entries.slice(0, planned) }, options);
  const load = addLoad(before, loadOf(added, options));
  if (brokenLimit(load, options.window) !== undefined) return undefined;
  const { plan, repairedFrom } = held;
  const decisions = appendKept(held.decisions, added, context.count, fixedAs);
  return {
    plan: {
      ...headOf(context),
      ...(plan.skipped && { skipped: plan.skipped }),
      repairs: [],
      repairedFrom,
      decisions,
      settledUntil: settledUntil(held),
      totalTokens: context.requestTokens + total,
    },
    load,
    entries,
    continued: continuedBy(held, decisions),
  };
}

/** Appends new entries, with results shortened to the cap; `undefined` if more must be dropped. */
function appendCapped({ held, context }: RecallFit): Planned | undefined {
  const drafted = draftHeld(held, context);
  const isChanged = drafted.room.reading.units.some(({ position, members }) =>
    members.some(
      ({ edited, wasEdited }, nth) => position + nth < held.planned && edited !== wasEdited,
    ),
  );
  if (!fitsNow(drafted.room) || isChanged) return undefined;
  const written = write(drafted);
  const load = loadOfPlanned(written, context.options);
  if (brokenLimit(load, context.options.window) !== undefined) return undefined;
  return { ...written, load, continued: continuedBy(held, written.plan.decisions) };
}

function continuedBy(
  { plan, planned, same, isWhole }: Held,
  decisions: readonly Decision[],
): PlanContinuation {
  if (isWhole) return { entryCount: planned };
  const entryCount = Math.min(same, sharedEntries(plan.decisions, decisions));
  return { entryCount, stoppedBy: "change" };
}

/** Entries that show that an agent is done with its last action. System messages, memories and uploads do not. */
const GOES_ON: ReadonlySet<string> = new Set<string>([
  "user_message",
  "assistant_message",
  "final",
  "synthesis",
  "task",
]);

/** Returns the index of the first action that no message follows: its agent may still continue. */
function settledUntil({ entries, settledUntil: from }: Held): number {
  let settled = entries.length;
  for (let index = entries.length - 1; index >= from; index--) {
    const { type, agent } = entries[index] ?? {};
    if (type === "action") settled = index;
    else if (agent === undefined && GOES_ON.has(type ?? "")) return settled;
  }
  return settled;
}

function headOf({ options, view, requestTokens, compaction }: Context) {
  const { counter, window, viewer } = options;
  return {
    counterId: counter.id,
    ...(counter.isEstimate === true && { estimated: true as const }),
    window: plannedWindow(window),
    view,
    requestTokens,
    ...(compaction && { compaction }),
    ...(viewer?.agentId !== undefined && { viewer: { agentId: viewer.agentId } }),
  };
}

/** Makes room in what the earlier plan keeps and what is new; if that is not enough, plans the end of the history again. */
function cut({ given, held, context }: RecallFit): Planned {
  const { entries, planned, decisions, isReopened } = held;
  const { lowTarget, options } = context;
  const mayHold = options.scorer === undefined && !isReopened;
  const room = mayHold ? reduced(draftHeld(held, context), lowTarget) : undefined;
  const { plan, ...others } = room ?? planAnew(given, context, lowTarget, entries.length - planned);
  const entryCount = sharedEntries(decisions, plan.decisions);
  return { ...others, plan, continued: { entryCount, stoppedBy: "cut" } };
}

/** Makes room down to a target and returns the plan; `undefined` if it does not fit. */
function reduced(drafted: Drafted, target: number): Planned | undefined {
  const { room } = drafted;
  const { budget } = room.context;
  limitMedia(room, target / Math.max(budget, 1));
  makeRoom(room, target);
  lessenEstimates(room);
  // After estimates are lowered, what stays may still be too long.
  shrinkKept(room);
  return room.total > budget ? undefined : write(drafted);
}

/** Parses what the earlier plan keeps and what is new. */
function draftHeld({ entries, planned, decisions, repairedFrom }: Held, context: Context): Drafted {
  const earlier = new Map<number, Decision>();
  let index = 0;
  const positions = decisions.flatMap((decision) => {
    const from = index;
    earlier.set(from, decision);
    index += decision.entryCount;
    return isGone(decision) ? [] : range(from, index);
  });
  const { scorer, ...unscored } = context.options;
  const room = draft(
    entries,
    [...positions, ...range(planned, entries.length)],
    { ...context, options: unscored },
    { newest: entries.at(-1), sentUntil: planned, windows: Infinity, earlier },
  );
  const summaries = decisions.filter(isGone);
  room.total += summaries.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  return { entries, repairs: [], repairedFrom, room };
}

function range(from: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, nth) => from + nth);
}

/** Plans the end of a history without an earlier plan. */
function planAnew(
  given: readonly HistoryEntry[],
  context: Context,
  target: number,
  unsent: number,
): Planned {
  const { from, fixed } = findHorizon(given, context);
  for (const entry of given.slice(from)) {
    // A call without an id must be neither ignored nor repaired away.
    const isNameless =
      entry.type === "action" && entry.toolCalls.some(({ id }) => typeof id !== "string");
    if (isNameless) throw new TypeError("A call has no id.");
  }
  const { entries, repairs } = repairFrom(given, from);
  const count = repairs.filter(({ kind }) => kind === "renamed-duplicate").length;
  if (count > 0) {
    throw new HistoryError(
      `${count} entries have the id of another entry. Give each entry its own id, or call repairHistory first.`,
      { code: "DUPLICATE_ID", details: { count } },
    );
  }
  const positions = [...fixed, ...range(from, entries.length)];
  const room = draft(entries, positions, context, {
    newest: newestOf(given, entries, from),
    sentUntil: entries.length - unsent,
    windows: context.windows,
    earlier: new Map(),
  });
  const planned = reduced({ entries, repairs, repairedFrom: from, room }, target);
  if (planned === undefined) throw tooSmall(room);
  return planned;
}

/** Parses and counts the entries at the given positions. */
function draft(
  entries: readonly HistoryEntry[],
  positions: readonly number[],
  context: Context,
  {
    newest,
    sentUntil,
    windows,
    earlier,
  }: {
    readonly newest: HistoryEntry | undefined;
    readonly sentUntil: number;
    readonly windows: number;
    readonly earlier: Map<number, Decision>;
  },
): Room {
  const { viewer } = context.options;
  const asks = askTest(entries, viewer);
  // Entries before the first request, and those that may occur between consecutive requests, do not form a gap.
  const gaps = new Set(
    positions.filter((at, nth) => {
      const last = positions[nth - 1] ?? entries.findIndex(asks) - 1;
      let before = at - 1;
      while (before > last && BESIDE.has(entries[before]?.type ?? "")) before -= 1;
      return before > last;
    }),
  );
  const reading = parse(
    positions.flatMap((at) => entries[at] ?? []),
    positions,
    {
      viewer,
      newest,
      sentUntil,
      isGapBefore: (at) => gaps.has(at),
      keepsFirst: context.firstRequestShare > 0,
    },
  );
  for (const { members, position } of reading.units) {
    for (const [nth, member] of members.entries()) {
      const decision = earlier.get(position + nth);
      if (decision?.action.kind !== "edit") continue;
      const { action, step, reason } = decision;
      member.edited = { edit: action.edit, because: { step, reason } };
      member.wasEdited = member.edited;
    }
  }
  scoreUnits({ context, reading });
  const reach = context.options.scorer === undefined ? windows : 2 * windows;
  return openRoom(context, reading, { reach: Math.max(context.budget, 1) * reach, earlier });
}

interface Drafted extends Pick<ReductionPlan, "repairs" | "repairedFrom"> {
  readonly entries: readonly HistoryEntry[];
  readonly room: Room;
}

function write({ entries, repairs, repairedFrom, room }: Drafted): Planned {
  const { context, reading, skipped, total, earlier } = room;
  const { units } = reading;
  // A scorer also ranks entries that are too far back to be counted.
  const unread = context.options.scorer === undefined ? FAR : { ...FAR, reason: LESS.reason };
  return {
    entries,
    plan: {
      ...headOf(context),
      ...(skipped.length > 0 && { skipped }),
      repairs,
      repairedFrom,
      decisions: decisionsOf(entries, units, earlier, unread),
      settledUntil: units.find(({ isRunning }) => isRunning)?.position ?? entries.length,
      totalTokens: context.requestTokens + total,
    },
  };
}

/** Counts the entries at the beginning for which two plans have equal decisions. */
function sharedEntries(one: readonly Decision[], other: readonly Decision[]): number {
  let sum = 0;
  for (const [nth, { action, entryCount }] of one.entries()) {
    const now = other[nth];
    if (now === undefined || JSON.stringify(action) !== JSON.stringify(now.action)) break;
    sum += Math.min(entryCount, now.entryCount);
    if (entryCount !== now.entryCount) break;
  }
  return sum;
}
