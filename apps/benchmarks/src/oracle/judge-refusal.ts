import type { HistoryEntry } from "@agent-history/core";

import { isInstruction } from "./entry-role.ts";
import { readHistory } from "./read-history.ts";
import type { Breach, JudgedFit } from "./trial.ts";

type RefusedFit = Pick<
  JudgedFit,
  "given" | "window" | "viewerId" | "countEntry" | "requestTokens" | "isInOrder"
>;

/**
 * L4: a refusal is right only where what must be kept does not fit, and its number is the smallest window that would do.
 *
 * @param fits - Whether a window of so many tokens is accepted.
 */
export function judgeRefusal(
  { given, window, viewerId, countEntry, requestTokens, isInOrder }: RefusedFit,
  details: { readonly required?: unknown; readonly available?: unknown } | undefined,
  fits: (contextTokens: number) => boolean,
): readonly Breach[] {
  const { contextTokens, outputReserveTokens = 0, marginTokens = 0 } = window;
  const available = contextTokens - outputReserveTokens - marginTokens;
  const breaches: Breach[] = [];
  const { sound, pinned, question, newest, pairs, roleOf, turns } = readHistory(given, viewerId);
  const isRunning = (entry: HistoryEntry): boolean =>
    pairs.running.has(pairs.actionOf.get(entry) ?? entry);
  const exchangeOf = (entry: HistoryEntry): HistoryEntry => pairs.actionOf.get(entry) ?? entry;
  const newestExchange = newest && exchangeOf(newest);
  const lastTurn = turns.at(-1);
  // Behind the last thing that was said instructions may stand.
  const lastSaid = sound.findLast((entry) => roleOf(entry) !== "system");
  const isKept = (entry: HistoryEntry): boolean =>
    isInstruction(entry) ||
    pinned.has(entry) ||
    isRunning(entry) ||
    entry === lastTurn?.lastAnswer ||
    lastTurn?.requests.includes(entry) === true ||
    entry === question ||
    entry === lastSaid ||
    exchangeOf(entry) === newestExchange;
  const whole = sound.filter(isKept);
  const first = whole.find((entry) => roleOf(entry) !== "system");
  // Instructions alone are no prompt.
  const isSaid = sound.some((entry) => roleOf(entry) !== "system");
  const beginsWell = first === undefined ? !isSaid : roleOf(first) === "user";
  const tokens = whole.reduce((sum, entry) => sum + countEntry(entry), requestTokens);
  const isSound = pairs.open.size === 0 && sound.length === given.length;
  if (beginsWell && isSound && tokens <= available)
    breaches.push({ law: "L4", rule: "refused what fits" });
  // Steps of the caller's own may leave what others would drop.
  if (!isInOrder) return [];
  const { required } = details ?? {};
  if (typeof required !== "number" || details?.available !== contextTokens) {
    return [...breaches, { law: "L4", rule: "refused without its numbers" }];
  }
  if (required <= contextTokens)
    breaches.push({ law: "L4", rule: "refused what fits by its own number" });
  // What a result may have is a share of the window, so that a larger window may need more.
  if (!fits(required) && !fits(2 * required))
    breaches.push({ law: "L4", rule: "required is too little" });
  return breaches;
}
