import type { HistoryEntry } from "@agent-history/core";

import { isInstruction } from "./entry-role.ts";
import { judgeAccount } from "./judge-account.ts";
import { judgeKept } from "./judge-kept.ts";
import { judgeOrder } from "./judge-order.ts";
import { judgePairs } from "./judge-pairs.ts";
import { judgeRecalls, recallsIn } from "./judge-recalls.ts";
import { judgeTurns } from "./judge-turns.ts";
import { readHistory } from "./read-history.ts";
import type { HistoryReading } from "./read-history.ts";
import type { Breach, JudgedFit, Trial } from "./trial.ts";

/** Finds every law of one fit that was broken, without a function of the packages that are judged. */
export function judgeFit(fit: JudgedFit): readonly Breach[] {
  const { given, viewerId, plan } = fit;
  const blocks = new Set(recallsIn(plan).map(({ id }) => id));
  const fitted = blocks.size === 0 ? fit.fitted : fit.fitted.filter(({ id }) => !blocks.has(id));
  const before = readHistory(given, viewerId);
  const keptIds = new Set(fitted.map(({ id }) => id));
  const repaired = new Set(plan.repairs.map(({ entryId }) => entryId));
  const trial: Trial = {
    ...fit,
    fitted,
    before,
    after: readHistory(fitted, viewerId),
    keptIds,
    // What a repair left out is no cut.
    isCut: before.sound.some(({ id }) => !keptIds.has(id) && !repaired.has(id)),
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
  const turnStart = first === undefined ? 0 : (before.indexOf.get(first.id) ?? 0);
  const kept = sound.filter((entry, index) => {
    return index >= turnStart || isInstruction(entry) || pinned.has(entry);
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
