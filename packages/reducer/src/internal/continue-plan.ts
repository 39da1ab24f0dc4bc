import { groupExchanges, repairHistory } from "@agent-history/core";
import type {
  Decision,
  HistoryEntry,
  ReductionPlan,
  Repair,
  StoppedBy,
  Viewer,
} from "@agent-history/core";

import { BECAUSE, FOR_QUESTION } from "./drop-held.ts";
import type { FitContext } from "./fit-context.ts";
import { holdDecisions } from "./hold-decisions.ts";
import type { HeldDecisions } from "./hold-decisions.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { needsDropped } from "./needs-dropped.ts";
import { plannedWindow } from "./planned-window.ts";
import { recallOf } from "./recall-of.ts";
import { repairFrom, newestOf } from "./repair-as-planned.ts";
import { turnTest } from "./requests.ts";
import { APART } from "./roles.ts";
import { isIntact, readablePlan, recallsOf, totalOf } from "./seal-plan.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { fixedAs, GOES_ON, isGone, isTrace, RUNNING } from "./working-plan.ts";
import type { WorkingPlan } from "./working-plan.ts";

/** An earlier plan that is still about the beginning of this history. */
export interface Continuation extends Pick<HeldDecisions, "planned" | "isReopened"> {
  /** The history, repaired. */
  readonly entries: readonly HistoryEntry[];
  /** What holds of the plan. */
  readonly plan: UnsealedPlan;
  /** What is not settled yet, where any of it must be paired. */
  readonly open: readonly HistoryEntry[];
  /** Why not all of the plan holds. */
  readonly stoppedBy: StoppedBy | undefined;
  /** The earlier plan, as it was passed in. */
  readonly earlier: ReductionPlan;
}

/**
 * Finds how far an earlier plan holds, or why it does not: it is for the same request, what it kept is the same, and what came since is valid.
 * Looks at what is kept and what is new; of what was dropped, at the ends of the runs.
 */
export function* continuationOf(
  given: readonly HistoryEntry[],
  context: FitContext,
): MaybeAsync<Continuation | StoppedBy | undefined> {
  const { previousPlan } = context.options;
  if (previousPlan === undefined) return undefined;
  const earlier = readablePlan(previousPlan);
  if (earlier === undefined) return "damaged";
  const other = whyOther(earlier, context);
  if (other !== undefined) return other;
  const { repairs, repairedFrom } = earlier;
  const isRepaired = repairs.length > 0;
  const sofar = isRepaired ? repairFrom(given, repairedFrom) : { entries: given, repairs };
  let holding = yield* holdIn({ ...sofar, repairedFrom }, earlier, context);
  if (!holding.isSound && !isRepaired) {
    // What broke behind what is settled is repaired from there.
    const from = holding.settledUntil;
    holding = yield* holdIn({ ...repairFrom(given, from), repairedFrom: from }, earlier, context);
  }
  const newest = newestOf(given, holding.entries, holding.repairedFrom);
  const stopped = holding.isSound ? whyNot({ ...holding, newest }, earlier, context) : "pairing";
  return stopped ?? continuing(holding, earlier);
}

/** Writes down what holds. Names each field: to read the checksum would be to compute it. */
function continuing(holding: Holding, earlier: ReductionPlan): Continuation {
  const { entries, open, repairs, repairedFrom, settledUntil, held: what } = holding;
  const { counterId, window, view, viewer, requestTokens, skipped } = earlier;
  const { decisions, planned, isReopened } = what;
  const totalTokens = totalOf(requestTokens, decisions);
  const context = { counterId, window, view, ...(viewer && { viewer }), requestTokens };
  const made = { repairs, repairedFrom, decisions, settledUntil, ...(skipped && { skipped }) };
  const plan = { ...context, ...made, totalTokens };
  const stoppedBy = what.isWhole ? undefined : "change";
  return { entries, plan, planned, open, isReopened, stoppedBy, earlier };
}

function whyOther(plan: ReductionPlan, { options, ...context }: FitContext): StoppedBy | undefined {
  if (!isIntact(plan, options)) return "damaged";
  const window = plannedWindow(options.window);
  const compared: readonly (readonly [StoppedBy, unknown, unknown])[] = [
    ["recall", recallsOf(plan).length > 0 && typeof recallOf(options) === "string", false],
    ["counter", plan.counterId, options.counter.id],
    ["view", plan.view, context.view],
    ["viewer", plan.viewer?.agentId, options.viewer?.agentId],
    ["request", plan.requestTokens, context.requestTokens],
    ["window", plan.window.contextTokens, window.contextTokens],
    ["window", plan.window.outputReserveTokens, window.outputReserveTokens],
    ["window", plan.window.marginTokens, window.marginTokens],
  ];
  return compared.find(([, one, other]) => one !== other)?.[0];
}

/** What holds of an earlier plan in a history that was repaired. */
interface Holding extends Pick<UnsealedPlan, "repairs" | "repairedFrom" | "settledUntil"> {
  readonly entries: readonly HistoryEntry[];
  readonly held: HeldDecisions;
  readonly open: readonly HistoryEntry[];
  readonly isSound: boolean;
}

function* holdIn(
  repaired: Pick<Holding, "entries" | "repairs" | "repairedFrom">,
  earlier: ReductionPlan,
  context: FitContext,
): MaybeAsync<Holding> {
  const { entries } = repaired;
  const held = yield* holdDecisions(earlier, entries, context);
  const settledUntil = settledIn(entries, held, earlier);
  const unsettled = entries.slice(settledUntil);
  const open = unsettled.some(isTrace) ? unsettled : [];
  const isSound = open.length === 0 || repairHistory(open).repairs.length === 0;
  return { ...repaired, held, settledUntil, open, isSound };
}

/** The index of the first entry whose exchange may have grown, or may have been changed. */
function settledIn(
  entries: readonly HistoryEntry[],
  { planned, shift }: HeldDecisions,
  { settledUntil }: ReductionPlan,
): number {
  if (shift === 0 && settledUntil <= planned) return settledUntil;
  let index = Math.max(0, Math.min(settledUntil, settledUntil + shift, planned));
  while (entries[index - 1]?.type === "observation") index -= 1;
  return entries[index - 1]?.type === "action" ? index - 1 : index;
}

/** Why what holds of a plan is not enough for what the history is now. */
function whyNot(
  { entries, held, repairs, newest }: Holding & Pick<WorkingPlan, "newest">,
  earlier: ReductionPlan,
  { options }: FitContext,
): StoppedBy | undefined {
  const ids = entries.slice(held.planned).map(({ id }) => id);
  const added = new Set(ids);
  if (added.size < ids.length) return "duplicate-id";
  if (isBrokenAnew(repairs, earlier.repairs)) return "pairing";
  const isLookedThrough = options.recheck === true || isDrawnAnew(repairs, earlier.repairs);
  let keepsMore = held.isWhole;
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
  if (!keepsMore) return "change";
  // Without the last user message tasks ask, in all turns.
  const isReread = !held.isSame && !entries.some(({ type }) => type === "user_message");
  const { viewer } = options;
  // What had no room while its turn was being answered, or an exchange ran, may have a place again once that is over.
  const hasGivenUp = held.decisions.some(({ step }) => GIVEN_UP.has(step));
  const isOver = hasGivenUp && beginsTurnFrom(entries, held.planned, viewer);
  const isRun =
    hasGivenUp &&
    entries.slice(held.planned).some(({ type }) => GOES_ON.has(type)) &&
    hasEnded(entries, held.decisions);
  const isWhole = options.recheck === true || isReread || isRun;
  if (held.isSame && !isWhole && !isOver) return undefined;
  return needsDropped(entries, held, { viewer, isWhole }) ? "dropped-needed" : undefined;
}

/** The steps that drop requests and answers of the turn that is being answered. */
const GIVEN_UP: ReadonlySet<string> = new Set([
  BECAUSE.step,
  FOR_QUESTION.step,
  APART.step,
  "drop-this-turn",
]);

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
  const known = new Set(earlier.map(nameOf));
  return repairs.some((repair) => repair.kind === "drawn-together" && !known.has(nameOf(repair)));
}

function nameOf({ kind, entryId }: Repair): string {
  return `${kind} ${entryId}`;
}

/** Returns whether something broke since that must be seen with all that stands before: the call of a result, the bearer of an id. */
function isBrokenAnew(repairs: readonly Repair[], earlier: readonly Repair[]): boolean {
  const known = new Set(earlier.map(nameOf));
  return repairs.some((repair) => {
    const { kind } = repair;
    const isDeep = kind === "dropped-orphan" || kind === "renamed-duplicate";
    return isDeep && !known.has(nameOf(repair));
  });
}
