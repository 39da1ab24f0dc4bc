import { groupExchanges } from "@agent-history/core";
import type {
  Decision,
  HistoryEntry,
  ReductionPlan,
  Repair,
  StoppedBy,
  Viewer,
} from "@agent-history/core";

import { haveDistinctIds } from "./distinct-ids.ts";
import type { FitContext } from "./fit-context.ts";
import { givesUp } from "./given-up.ts";
import type { HeldDecisions } from "./hold-decisions.ts";
import { needsDropped } from "./needs-dropped.ts";
import { gaveUpSomething, keepsOneOf } from "./plan-memory.ts";
import { turnTest } from "./requests.ts";
import { fixedAs, GOES_ON, isGone, RUNNING } from "./working-plan.ts";
import type { WorkingPlan } from "./working-plan.ts";

/** A history, repaired, and what of an earlier plan holds in it. */
interface HeldHistory
  extends Pick<ReductionPlan, "repairs">, Pick<WorkingPlan, "entries" | "newest"> {
  readonly held: HeldDecisions;
}

/** Why what holds of a plan is not enough for what the history is now. */
export function whyNot(
  { entries, held, repairs, newest }: HeldHistory,
  earlier: ReductionPlan,
  { options }: FitContext,
): StoppedBy | undefined {
  if (!haveDistinctIds(entries, held.planned)) return "duplicate-id";
  if (isBrokenAnew(repairs, earlier.repairs)) return "pairing";
  const isLookedThrough = options.recheck === true || isDrawnAnew(repairs, earlier.repairs);
  const isKnown = held.isIdentical && repairs.length === 0 && !isLookedThrough;
  const stopped = isKnown
    ? whyNotGrown(entries, held, earlier)
    : whyNotKept({ entries, held, newest }, isLookedThrough);
  if (stopped !== undefined) return stopped;
  // Without the last user message tasks ask, in all turns.
  const isReread = !held.isSame && !entries.some(({ type }) => type === "user_message");
  const { viewer } = options;
  // What had no room while its turn was being answered, or an exchange ran, may have a place again once that is over.
  const hasGivenUp =
    (held.isIdentical ? gaveUpSomething(earlier) : undefined) ?? held.decisions.some(givesUp);
  const isOver = hasGivenUp && beginsTurnFrom(entries, held.planned, viewer);
  const isRun =
    hasGivenUp &&
    entries.slice(held.planned).some(({ type }) => GOES_ON.has(type)) &&
    hasEnded(entries, held.decisions);
  // A request leads to a late result of its turn as long as that is the newest entry.
  const isLed =
    hasGivenUp &&
    held.planned < entries.length &&
    repairs.some(({ kind }) => kind === "drawn-together");
  const isWhole = options.recheck === true || isReread || isRun || isLed;
  if (held.isSame && !isWhole && !isOver) return undefined;
  return needsDropped(entries, held, { viewer, isWhole }) ? "dropped-needed" : undefined;
}

/** Why not, where all that the plan keeps are the same objects. */
function whyNotGrown(
  entries: readonly HistoryEntry[],
  { decisions, planned }: HeldDecisions,
  earlier: ReductionPlan,
): StoppedBy | undefined {
  const last = decisions.at(-1);
  const isNothingNew = planned === entries.length;
  if (isNothingNew && last !== undefined && isGone(last.action)) return "dropped-needed";
  return keepsOneOf(earlier, entries, planned) ? "duplicate-id" : undefined;
}

/** Why not, by what is kept and what came since. */
function whyNotKept(
  { entries, held, newest }: Omit<HeldHistory, "repairs">,
  isLookedThrough: boolean,
): StoppedBy | undefined {
  let keepsMore = held.isWhole;
  const added = new Set(entries.slice(held.planned).map(({ id }) => id));
  // A result that came late stands with its call.
  const newestAt = entries.findLastIndex((entry) => entry === newest);
  let index = 0;
  for (const { action, entryCount } of held.decisions) {
    const end = index + entryCount;
    const isDropped = isGone(action);
    if (isDropped && newestAt >= index && newestAt < end) return "dropped-needed";
    // What is gone may come again, and is looked through only where that is asked for, or where a late result was drawn to its call.
    for (index = isDropped && !isLookedThrough ? end : index; index < end; index++) {
      const entry = entries[index];
      if (isDropped && fixedAs(entry) !== undefined) return "dropped-needed";
      if (entry !== undefined && added.has(entry.id)) return "duplicate-id";
      keepsMore ||= !isDropped && fixedAs(entry) === undefined;
    }
  }
  // What stays wherever it stands is kept by any plan.
  return keepsMore ? undefined : "change";
}

function beginsTurnFrom(
  entries: readonly HistoryEntry[],
  from: number,
  viewer: Viewer | undefined,
): boolean {
  const beginsTurn = turnTest(entries, viewer);
  return entries.slice(from).some((_, index) => beginsTurn(from + index));
}

/** Returns whether an exchange that was kept since it was running is over. */
function hasEnded(entries: readonly HistoryEntry[], decisions: readonly Decision[]): boolean {
  const running = new Set(
    groupExchanges(entries).map(
      (group) => group.kind === "exchange" && group.running && group.action,
    ),
  );
  let index = 0;
  return decisions.some(({ reason, entryCount }) => {
    const from = index;
    index += entryCount;
    const isEnded = (one: HistoryEntry): boolean => one.type === "action" && !running.has(one);
    return reason === RUNNING && entries.slice(from, index).some(isEnded);
  });
}

function isDrawnAnew(repairs: readonly Repair[], earlier: readonly Repair[]): boolean {
  if (repairs.length === 0) return false;
  const known = new Set(earlier.map(nameOf));
  return repairs.some((repair) => repair.kind === "drawn-together" && !known.has(nameOf(repair)));
}

function nameOf({ kind, entryId }: Repair): string {
  return `${kind} ${entryId}`;
}

/** Returns whether something broke since that must be seen with all that stands before: the call of a result, the bearer of an id. */
function isBrokenAnew(repairs: readonly Repair[], earlier: readonly Repair[]): boolean {
  if (repairs.length === 0) return false;
  const known = new Set(earlier.map(nameOf));
  return repairs.some((repair) => {
    const { kind } = repair;
    const isDeep = kind === "dropped-orphan" || kind === "renamed-duplicate";
    return isDeep && !known.has(nameOf(repair));
  });
}
