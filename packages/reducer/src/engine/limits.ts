import { countOption } from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  MediaCount,
  ModelWindow,
  PlannedWindow,
  ReductionPlan,
} from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import type { Context } from "./context.ts";
import { edit, setTokens } from "./room.ts";
import type { Room } from "./room.ts";
import type { Member } from "./unit.ts";

/** What a request has beside tokens, as a plan says it. */
export type Load = Pick<
  ReductionPlan,
  "totalBytes" | "totalImages" | "longestSidePixels" | "estimatedMedia"
>;

const NOTHING: Load = { totalBytes: 0, totalImages: 0 };

/** What a format writes around an entry, a part, a call: names of fields, a role, an id, a media type. In bytes. */
const FRAME = { entry: 40, part: 64, call: 44 };

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

/** Returns what the tools of a request have. */
export function loadOfTools({ tools = [] }: FitOptions): Load {
  return {
    ...NOTHING,
    totalBytes: tools.length === 0 ? 0 : jsonBytes(tools) + FRAME.call * tools.length,
  };
}

/** Returns what entries have together, as their format writes them. */
export function loadOf(entries: readonly HistoryEntry[], options: FitOptions): Load {
  return entries.reduce((sum, entry) => addLoad(sum, loadOfEntry(entry, options)), NOTHING);
}

export function addLoad(one: Load, other: Load): Load {
  const side = Math.max(one.longestSidePixels ?? 0, other.longestSidePixels ?? 0);
  const count = (one.estimatedMedia?.count ?? 0) + (other.estimatedMedia?.count ?? 0);
  const tokens = (one.estimatedMedia?.tokens ?? 0) + (other.estimatedMedia?.tokens ?? 0);
  return {
    totalBytes: one.totalBytes + other.totalBytes,
    totalImages: one.totalImages + other.totalImages,
    ...(side > 0 && { longestSidePixels: side }),
    ...(count > 0 && { estimatedMedia: { count, tokens } }),
  };
}

function loadOfEntry(entry: HistoryEntry, options: FitOptions): Load {
  const media = mediaOf(entry, options);
  const estimates = media.filter(isGuess);
  const side = media.reduce((most, one) => Math.max(most, longestSide(one)), 0);
  return {
    totalBytes: bytesOfEntry(writtenAs(entry, options)),
    totalImages: media.filter(({ kind }) => kind === "image").length,
    ...(side > 0 && { longestSidePixels: side }),
    ...(estimates.length > 0 && {
      estimatedMedia: { count: estimates.length, tokens: tokensOf(estimates) },
    }),
  };
}

function writtenAs(entry: HistoryEntry, { asWritten, viewer = {} }: FitOptions): HistoryEntry {
  return asWritten === undefined ? entry : asWritten(entry, viewer);
}

/** Returns the images and files of an entry; by a counter that does not say, without their sizes. */
function mediaOf(entry: HistoryEntry, options: FitOptions): readonly MediaCount[] {
  if (typeof entry.content === "string" && !("rendered" in entry)) return [];
  const written = writtenAs(entry, options);
  const { counter } = options;
  if (counter.countMedia !== undefined) return counter.countMedia(written);
  return contentOf(written).flatMap(({ type }): readonly MediaCount[] =>
    type === "image" || type === "file" ? [{ kind: type, tokens: 0 }] : [],
  );
}

function longestSide({ width = 0, height = 0 }: MediaCount): number {
  return Math.max(width, height);
}

function isGuess({ isEstimate }: MediaCount): boolean {
  return isEstimate === true;
}

function tokensOf(media: readonly MediaCount[]): number {
  return media.reduce((sum, { tokens }) => sum + tokens, 0);
}

function contentOf(entry: HistoryEntry): readonly ContentPart[] {
  const content =
    entry.type === "user_message" ? (entry.rendered ?? entry.content) : (entry.content ?? "");
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function bytesOfEntry(entry: HistoryEntry): number {
  let bytes = FRAME.entry + jsonBytes(entry.origin?.extra ?? "");
  for (const part of contentOf(entry)) bytes += bytesOfPart(part);
  if (entry.type === "action") {
    // Arguments stand as text in JSON.
    for (const call of entry.toolCalls) bytes += FRAME.call + jsonBytes(call);
  }
  if (entry.type === "observation" || entry.type === "global_observation") {
    bytes +=
      jsonBytes(entry.sources ?? []) +
      ("callId" in entry ? jsonBytes([entry.callId, entry.toolName]) : 0);
  }
  if (entry.type === "attachment") bytes += jsonBytes(entry.name ?? "");
  return bytes;
}

/** Media are as long as their base64: they are not looked through. */
function bytesOfPart(part: ContentPart): number {
  if (part.type !== "image" && part.type !== "file") return jsonBytes(part);
  const { source, ...rest } = part;
  if (source.kind !== "data") return FRAME.part + jsonBytes(part);
  return FRAME.part + source.base64.length + jsonBytes(rest);
}

const encoder = new TextEncoder();

function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? "").length;
}

function hasMedia(entry: HistoryEntry): boolean {
  return contentOf(entry).some(({ type }) => type === "image" || type === "file");
}

/** A limit that a request breaks. */
type Limit = "maxBytes" | "maxImages" | "maxImagePixels";

/** Returns the limit that a request breaks, if each is taken at a share. */
export function brokenLimit(load: Load, window: ModelWindow, share = 1): Limit | undefined {
  const { maxBytes = Infinity, maxImages = Infinity, maxImagePixels = Infinity } = window;
  const { totalBytes, totalImages, longestSidePixels = 0 } = load;
  const { above = Infinity, maxImagePixels: many = Infinity } = window.manyImages ?? {};
  if (totalBytes > maxBytes * share) return "maxBytes";
  if (totalImages > maxImages * share) return "maxImages";
  const most = totalImages > above * share ? Math.min(many, maxImagePixels) : maxImagePixels;
  return longestSidePixels > most ? "maxImagePixels" : undefined;
}

function isTooLarge({ longestSidePixels = 0 }: Load, load: Load, window: ModelWindow): boolean {
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
  const loads = new Map<Member, Load>();
  let texts = loadOfTools(options);
  for (const member of kept) {
    const own = loadOfEntry(member.current, options);
    if (hasMedia(member.current)) loads.set(member, own);
    else texts = addLoad(texts, own);
  }
  const loadNow = (): Load => [...loads.values()].reduce(addLoad, texts);
  if (brokenLimit(loadNow(), window) === undefined) return;
  const members = [...loads.keys()].toSorted((one, other) => orderOf(one) - orderOf(other));
  // Too large images go before others that are small.
  for (const isAny of [false, true]) {
    for (const member of members) {
      const load = loadNow();
      const limit = brokenLimit(load, window, share);
      if (limit === undefined) return;
      const isSmall = !isTooLarge(loads.get(member) ?? NOTHING, load, window);
      if (!isAny && limit === "maxImagePixels" && isSmall) continue;
      const because = { step: "stub-old-media", reason: `media beyond the window's ${limit}` };
      if (edit(room, member, { stubMedia: true }, because, true))
        loads.set(member, loadOfEntry(member.current, options));
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
  return tokensOf(mediaOf(entry, options).filter(isGuess));
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
