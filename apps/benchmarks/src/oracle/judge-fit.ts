import type { HistoryEntry, ModelWindow, ReductionPlan } from "@agent-history/core";

import { isInstruction } from "./entry-role.ts";
import { judgeAccount } from "./judge-account.ts";
import { judgeKept } from "./judge-kept.ts";
import { judgeOrder } from "./judge-order.ts";
import { judgePairs } from "./judge-pairs.ts";
import { judgeRecalls, recallsIn } from "./judge-recalls.ts";
import { judgeTurns } from "./judge-turns.ts";
import { readHistory } from "./read-history.ts";
import type { HistoryReading } from "./read-history.ts";

/** A law that a fit broke. */
export interface Breach {
  /** The law of the design. */
  readonly law: "L1" | "L2" | "L3" | "L4" | "L5" | "L8" | "L9" | "L15" | "L16" | "L17" | "provider";
  readonly rule: string;
  /** The entry at which it shows. */
  readonly at?: string;
}

/** What went into a fit, and what came out. */
export interface JudgedFit {
  readonly given: readonly HistoryEntry[];
  /** With the blocks that quote. */
  readonly fitted: readonly HistoryEntry[];
  readonly plan: Pick<
    ReductionPlan,
    "repairs" | "decisions" | "requestTokens" | "totalTokens" | "recalls" | "head"
  >;
  readonly window: ModelWindow;
  readonly viewerId?: string;
  /** Counts as the fit was told to count: this oracle adds up by itself. */
  readonly countEntry: (entry: HistoryEntry) => number;
  readonly requestTokens: number;
  /** Neither scorer nor steps of the caller's own: older turns never outlive newer ones. */
  readonly isInOrder: boolean;
  /** As the caller chose. Default: where tools are called or tasks given. */
  readonly keepOpening?: boolean | number;
  /** Steps of the caller's own, which may leave what others would drop. */
  readonly hasOwnSteps?: boolean;
  /** What the call before left out, where its plan was handed in: what is pinned since may stay out. */
  readonly droppedBefore?: ReadonlySet<string>;
}

/** What all judges share. */
export interface Trial extends JudgedFit {
  readonly before: HistoryReading;
  readonly after: HistoryReading;
  readonly keptIds: ReadonlySet<string>;
  /** Something is gone that was in the sound history. */
  readonly isCut: boolean;
  /** The place at which the turn being answered begins. */
  readonly turnStart: number;
  /** Instructions, pins and all of the words of the turn being answered fit as they are. */
  readonly hasRoomForTurn: boolean;
}

/** Finds every law of one fit that was broken, without a function of the packages that are judged. */
export function judgeFit(fit: JudgedFit): readonly Breach[] {
  const { given, viewerId, plan } = fit;
  const blocks = new Set(recallsIn(plan).map(({ id }) => id));
  const fitted = blocks.size === 0 ? fit.fitted : fit.fitted.filter(({ id }) => !blocks.has(id));
  const before = readHistory(given, viewerId);
  const keptIds = new Set(fitted.map(({ id }) => id));
  const trial: Trial = {
    ...fit,
    fitted,
    before,
    after: readHistory(fitted, viewerId),
    keptIds,
    isCut: before.sound.some(({ id }) => !keptIds.has(id)),
    ...turnRoom(fit, before),
  };
  return [
    ...judgePairs(trial),
    ...judgeOrder(trial),
    ...judgeKept(trial),
    ...judgeTurns(trial),
    ...judgeAccount({ ...trial, fitted: fit.fitted }),
    ...judgeRecalls(fit),
  ];
}

function turnRoom(
  { window, countEntry, requestTokens, hasOwnSteps }: JudgedFit,
  before: HistoryReading,
): Pick<Trial, "turnStart" | "hasRoomForTurn"> {
  const { sound, turns, pinned } = before;
  const [first] = turns.at(-1)?.entries ?? [];
  const turnStart = first === undefined ? 0 : (before.placeOf.get(first.id) ?? 0);
  const kept = sound.filter((entry, place) => {
    return place >= turnStart || isInstruction(entry) || pinned.has(entry);
  });
  const lead = leadOf(kept, before);
  const tokens = [...kept, ...lead].reduce((sum, entry) => sum + countEntry(entry), requestTokens);
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  const hasRoom = tokens <= contextTokens - outputReserveTokens - marginTokens;
  return { turnStart, hasRoomForTurn: hasRoom && hasOwnSteps !== true };
}

/** What must stand before an answer with which the prompt would begin otherwise. */
function leadOf(
  kept: readonly HistoryEntry[],
  { sound, roleOf }: HistoryReading,
): readonly HistoryEntry[] {
  const first = kept.find((entry) => roleOf(entry) !== "system");
  if (first === undefined || roleOf(first) === "user") return [];
  const lead = sound.slice(0, sound.indexOf(first)).findLast((entry) => roleOf(entry) === "user");
  return lead === undefined ? [] : [lead];
}
