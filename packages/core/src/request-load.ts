import type { ContentPart, FilePart, ImagePart } from "./content.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { ReductionRequest } from "./reducer.ts";
import type { ReductionPlan } from "./reduction-plan.ts";
import type { MediaCount, TokenCounter } from "./token-counter.ts";

/** Bytes and images of a request, as a plan reports them. */
export type RequestLoad = Pick<
  ReductionPlan,
  "totalBytes" | "totalImages" | "longestSidePixels" | "estimatedMedia"
>;

const NOTHING: RequestLoad = { totalBytes: 0, totalImages: 0 };

/** Bytes that a format writes around an entry, a part or a call: field names, role, id, media type. */
const FRAME = { entry: 40, part: 64, call: 44 };

/** Options that determine how an entry is written and how its media count. */
export interface LoadOptions extends Pick<ReductionRequest, "asWritten" | "viewer" | "tools"> {
  readonly counter: Pick<TokenCounter, "countMedia">;
}

/** Returns the load of a request's tools. */
export function loadOfTools({ tools = [] }: LoadOptions): RequestLoad {
  const frames = FRAME.call * tools.length;
  return { ...NOTHING, totalBytes: frames && frames + jsonBytes(tools) };
}

/** Returns the load of entries, as their format writes them. */
export function loadOf(entries: readonly HistoryEntry[], options: LoadOptions): RequestLoad {
  return entries.reduce((sum, entry) => addLoad(sum, loadOfEntry(entry, options)), NOTHING);
}

/** Adds two loads. */
export function addLoad(one: RequestLoad, other: RequestLoad): RequestLoad {
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

function loadOfEntry(entry: HistoryEntry, options: LoadOptions): RequestLoad {
  const load = { ...NOTHING, totalBytes: bytesOfEntry(writtenAs(entry, options)) };
  return mediaOf(entry, options).reduce((sum, one) => addLoad(sum, loadOfMedia(one)), load);
}

function loadOfMedia({ kind, tokens, isEstimate, width = 0, height = 0 }: MediaCount): RequestLoad {
  return {
    totalBytes: 0,
    totalImages: kind === "image" ? 1 : 0,
    longestSidePixels: Math.max(width, height),
    ...(isEstimate === true && { estimatedMedia: { count: 1, tokens } }),
  };
}

function writtenAs(entry: HistoryEntry, { asWritten, viewer = {} }: LoadOptions): HistoryEntry {
  return asWritten === undefined ? entry : asWritten(entry, viewer);
}

/** Returns the images and files of an entry; without sizes if the counter does not report them. */
export function mediaOf(entry: HistoryEntry, options: LoadOptions): readonly MediaCount[] {
  if (typeof entry.content === "string" && !("rendered" in entry)) return [];
  const written = writtenAs(entry, options);
  const { counter } = options;
  if (counter.countMedia !== undefined) return counter.countMedia(written);
  return contentOf(written)
    .filter(isMedia)
    .map(({ type }) => ({ kind: type, tokens: 0 }));
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
    // Arguments are a string in JSON.
    for (const call of entry.toolCalls) bytes += FRAME.call + jsonBytes(call);
  }
  if ("sources" in entry) bytes += jsonBytes(entry.sources);
  if (entry.type === "observation") bytes += jsonBytes([entry.callId, entry.toolName]);
  if (entry.type === "attachment") bytes += jsonBytes(entry.name ?? "");
  return bytes;
}

/** Media count by the length of their base64, without reading it. */
function bytesOfPart(part: ContentPart): number {
  if (!isMedia(part)) return jsonBytes(part);
  const { source, ...rest } = part;
  if (source.kind !== "data") return FRAME.part + jsonBytes(part);
  return FRAME.part + source.base64.length + jsonBytes(rest);
}

const encoder = new TextEncoder();

/** Returns the bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? "").length;
}

/** Returns whether an entry shows an image or a file. */
export function hasMedia(entry: HistoryEntry): boolean {
  return contentOf(entry).some(isMedia);
}

function isMedia(part: ContentPart): part is ImagePart | FilePart {
  return part.type === "image" || part.type === "file";
}
