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

/** Returns the bytes, images and pixels of the request that a plan sends. */
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

/** A window limit that a request can exceed. */
type Limit = "maxBytes" | "maxImages" | "maxImagePixels";

/** Returns the first limit that a request exceeds, with the limits on bytes and image counts multiplied by `share`. */
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
 * Replaces media by a line of text until the request is within the window's limits, oldest first: media of finished turns, then of this turn, then
 * uploads of this turn and protected entries. Reduces bytes and images to `share` of their limits, so that the next calls only append.
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
  // If the limit is pixels, replace the images that are too large before others.
  for (const isAny of [false, true]) {
    for (const member of members) {
      const load = loadNow();
      const limit = brokenLimit(load, window, share);
      if (limit === undefined) return;
      const own = loads.get(member);
      const isSmall = own === undefined || !isTooLarge(own, load, window);
      if (!isAny && limit === "maxImagePixels" && isSmall) continue;
      const because = { step: "stub-old-media", reason: `media that exceed the window's ${limit}` };
      if (edit(room, member, { stubMedia: true }, because, true))
        loads.set(member, loadOf([member.current], options));
    }
  }
}

function orderOf({ unit: { isOfThisTurn, isProtected, entries } }: Member): number {
  if (isProtected || entries[0]?.type === "attachment") return isOfThisTurn || isProtected ? 2 : 0;
  return isOfThisTurn ? 1 : 0;
}

/** Maximum share of the budget that one entry's media of unknown size may count. */
const ESTIMATES_SHARE = 0.5;

/** Returns a context that caps the estimates for media of unknown size at that share. */
export function withEstimates(context: Context): Context {
  const { options, budget } = context;
  const mostGuessed = Math.max(0, Math.floor(budget * ESTIMATES_SHARE));
  return {
    ...context,
    mostGuessed,
    count: (entry) =>
      context.count(entry) - Math.max(0, guessOfMedia(entry, options) - mostGuessed),
  };
}

/** Returns the tokens that media of unknown size in an entry are estimated to have. */
export function guessOfMedia(entry: HistoryEntry, options: FitOptions): number {
  const guesses = mediaOf(entry, options).filter(({ isEstimate }) => isEstimate === true);
  return guesses.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Lowers the estimates of media tokens if nothing else can be reduced: no request is refused because of an estimate. */
export function lessenEstimates(room: Room): void {
  const { budget, options, mostGuessed } = room.context;
  for (const { isDropped, members } of room.reading.units) {
    for (const member of isDropped ? [] : members) {
      const over = room.total - budget;
      if (over <= 0) return;
      const less = Math.min(over, mostGuessed, guessOfMedia(member.current, options));
      setTokens(room, member, member.tokens - less);
      if (member.edited === undefined) member.whole = member.tokens;
    }
  }
}

/** Returns a window as a plan stores it, without infinite limits: JSON has no `Infinity`. */
export function plannedWindow(window: ModelWindow): PlannedWindow {
  return Object.fromEntries(
    Object.entries(window).filter(([, limit]) => limit !== undefined && limit !== Infinity),
  );
}
