import { countOption } from "@agent-history/core";
import type { HistoryEntry, ModelWindow, PlannedWindow, ReductionPlan } from "@agent-history/core";
import { addLoad, hasMedia, loadOf, loadOfTools, mediaOf } from "@agent-history/core/kit";
import type { RequestLoad } from "@agent-history/core/kit";

import type { FitOptions } from "../fit-options.ts";
import type { Context } from "./context.ts";
import { edit, setTokens } from "./room.ts";
import type { Room } from "./room.ts";
import type { Member } from "./unit.ts";
import { carryOut } from "./write.ts";
import type { RecallBlock } from "./write.ts";

/** Checks the limits of a window. @throws `HistoryError` with code `INVALID_OPTION`. */
export function checkLimits(window: ModelWindow): void {
  const { maxBytes, maxImages, maxImagePixels, manyImages } = window;
  const limits = {
    maxBytes,
    maxImages,
    maxImagePixels,
    "manyImages.above": manyImages?.above,
    "manyImages.maxImagePixels": manyImages?.maxImagePixels,
  };
  for (const [name, limit] of Object.entries(limits)) countOption(`window.${name}`, limit ?? 0);
}

/** Returns what a request has of which all is decided. */
export function loadOfPlanned(
  {
    plan,
    entries,
    blocks,
  }: {
    readonly plan: Pick<ReductionPlan, "decisions">;
    readonly entries: readonly HistoryEntry[];
    readonly blocks?: readonly RecallBlock[] | undefined;
  },
  options: FitOptions,
): RequestLoad {
  const sent = carryOut(entries, plan.decisions, blocks);
  return addLoad(loadOfTools(options), loadOf(sent, options));
}

/** A limit that a request breaks. */
type Limit = "maxBytes" | "maxImages" | "maxImagePixels";

/** Returns the limit that a request breaks, if each is taken at a share. */
export function brokenLimit(load: RequestLoad, window: ModelWindow, share = 1): Limit | undefined {
  const { maxBytes = Infinity, maxImages = Infinity, maxImagePixels = Infinity } = window;
  const { totalBytes, totalImages, longestSidePixels = 0 } = load;
  const { above = Infinity, maxImagePixels: many = Infinity } = window.manyImages ?? {};
  if (totalBytes > maxBytes * share) return "maxBytes";
  if (totalImages > maxImages * share) return "maxImages";
  const most = totalImages > above * share ? Math.min(many, maxImagePixels) : maxImagePixels;
  return longestSidePixels > most ? "maxImagePixels" : undefined;
}

function isTooLarge(
  { longestSidePixels = 0 }: RequestLoad,
  load: RequestLoad,
  window: ModelWindow,
): boolean {
  return brokenLimit({ ...load, totalBytes: 0, longestSidePixels }, window) === "maxImagePixels";
}

/**
 * Turns media into a line of text until the request keeps the limits of the window: oldest first, those of finished turns, then of this turn, then
 * uploads and what the running exchange shows. Bytes and images go down to `share` of what they may be, so that the next calls only append.
 */
export function limitMedia(room: Room, share: number): void {
  const { options } = room.context;
  const { window } = options;
  const kept = room.reading.units.flatMap((unit) => (unit.isDropped ? [] : unit.members));
  if (!kept.some(({ current }) => hasMedia(current))) return;
  const loads = new Map<Member, RequestLoad>();
  let texts = loadOfTools(options);
  for (const member of kept) {
    const own = loadOf([member.current], options);
    if (hasMedia(member.current)) loads.set(member, own);
    else texts = addLoad(texts, own);
  }
  const loadNow = (): RequestLoad => [...loads.values()].reduce(addLoad, texts);
  if (brokenLimit(loadNow(), window) === undefined) return;
  const members = [...loads.keys()].toSorted((one, other) => orderOf(one) - orderOf(other));
  // Too large images go before others that are small.
  for (const isAny of [false, true]) {
    for (const member of members) {
      const load = loadNow();
      const limit = brokenLimit(load, window, share);
      if (limit === undefined) return;
      const own = loads.get(member);
      const isSmall = own === undefined || !isTooLarge(own, load, window);
      if (!isAny && limit === "maxImagePixels" && isSmall) continue;
      const because = { step: "stub-old-media", reason: `media beyond the window's ${limit}` };
      if (edit(room, member, { stubMedia: true }, because, true))
        loads.set(member, loadOf([member.current], options));
    }
  }
}

function orderOf({ unit: { isOfThisTurn, isProtected, entries } }: Member): number {
  if (isProtected || entries[0]?.type === "attachment") return isOfThisTurn || isProtected ? 2 : 0;
  return isOfThisTurn ? 1 : 0;
}

/** The share of the budget that the media of unknown size of one entry may count. */
const ESTIMATES_SHARE = 0.5;

/** Returns a context that counts media of unknown size up to their share. */
export function withEstimates(context: Context): Context {
  const { options, budget } = context;
  const most = Math.max(0, Math.floor(budget * ESTIMATES_SHARE));
  return {
    ...context,
    count: (entry) => context.count(entry) - Math.max(0, guessOfMedia(entry, options) - most),
  };
}

function guessOfMedia(entry: HistoryEntry, options: FitOptions): number {
  const guesses = mediaOf(entry, options).filter(({ isEstimate }) => isEstimate === true);
  return guesses.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Takes from estimates what is over when nothing else is left to give: nothing is refused because nobody says how large it is. */
export function lessenEstimates(room: Room): void {
  const { budget, options } = room.context;
  for (const { isDropped, members } of room.reading.units) {
    for (const member of isDropped ? [] : members) {
      const over = room.total - budget;
      if (over <= 0) return;
      const less = Math.min(over, member.tokens, guessOfMedia(member.current, options));
      setTokens(room, member, member.tokens - less);
      if (member.edited === undefined) member.whole = member.tokens;
    }
  }
}

/** Returns a window as a plan holds it: JSON has no infinite numbers. */
export function plannedWindow(window: ModelWindow): PlannedWindow {
  return Object.fromEntries(
    Object.entries(window).filter(([, limit]) => limit !== undefined && limit !== Infinity),
  );
}
