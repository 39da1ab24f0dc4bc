import { isHistoryError, sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";

import type { ChaosCall } from "./generate-case.ts";
import type { Breach } from "./judge-fit.ts";
import { readTurns } from "./read-turns.ts";

/** L4: only what does not fit is refused, and the error names the smallest window that would do. */
export function judgeRefusal(
  { entries: given, options }: ChaosCall,
  error: unknown,
): readonly Breach[] {
  const found = (rule: string): Breach => ({ law: "L4", rule });
  // How much must be kept is not known where ids are unclear.
  if (isHistoryError(error) && hasDoubledId(given)) return [];
  if (!isHistoryError(error, "WINDOW_TOO_SMALL")) return [found(`threw ${String(error)}`)];
  const { window, viewer = {}, counter, tools, without, scorer } = options;
  const { sound, turns, pinned, running, roleOf } = readTurns(given, viewer);
  const last = new Set(turns.at(-1)?.entries);
  const isKept = (entry: HistoryEntry): boolean =>
    last.has(entry) || roleOf(entry) === "system" || pinned.has(entry) || running.has(entry);
  const kept = sound.filter((entry) => isKept(entry) || entry.type === "summary");
  const first = kept.find((entry) => roleOf(entry) !== "system");
  const tokens = kept.reduce(
    (sum, entry) => sum + Number(counter.countEntry(entry, viewer)),
    Number(counter.countRequest(tools)),
  );
  const isSound = sound === given && first !== undefined && roleOf(first) === "user";
  const isWrong = isSound && tokens <= window.contextTokens - (window.marginTokens ?? 0);
  const breaches = isWrong ? [found("refused what fits")] : [];
  // Steps of the caller's own may leave what others would drop.
  if (without !== undefined || scorer !== undefined) return breaches;
  const required = Number(error.details?.["required"]);
  if (!(required > window.contextTokens))
    return [...breaches, found("refused what fits by its number")];
  const fits = (contextTokens: number): boolean => {
    try {
      return fitToWindow(given, { ...options, window: { contextTokens } }) !== undefined;
    } catch {
      return false;
    }
  };
  // What a result may have is a share of the window, so that a larger window may need more.
  return fits(required) || fits(2 * required)
    ? breaches
    : [...breaches, found("required is too little")];
}

/** Two entries of one id that say different things cannot be told apart. */
function hasDoubledId(entries: readonly HistoryEntry[]): boolean {
  const firsts = new Map(entries.toReversed().map((entry) => [entry.id, entry]));
  return entries.some((entry) => !sameJson(firsts.get(entry.id), entry));
}
