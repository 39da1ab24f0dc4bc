import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ToolCall,
} from "@agent-history/core";

import { isJsonObject, textOf } from "./json.ts";
import { mapCalls, mapParts } from "./wire-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** Fields of a provider's object that may be sent: `true`: may be sent; `absent`: not sent, but its absence may be recorded; an object: the allowed nested fields. */
export interface AllowedFields {
  readonly [key: string]: true | "absent" | AllowedFields;
}

/** Makes allowed fields from space-separated names. */
export function sentFields(names: string, others: AllowedFields = {}): AllowedFields {
  return {
    ...Object.fromEntries(names.split(" ").map((name) => [name, true] as const)),
    ...others,
  };
}

/** Returns an `extra` without these keys; the same object if it has none of them. */
export function withoutKeys(extra: JsonObject, keys: readonly string[]): JsonObject {
  const isOther = (key: string): boolean => !keys.includes(key);
  return keepKeys(extra, isOther, isOther);
}

function keepKeys(
  extra: JsonObject,
  isSent: (key: string) => boolean,
  mayLack: (key: string) => boolean,
): JsonObject {
  const { fields, without } = extra;
  let now = extra;
  if (isJsonObject(fields) && !Object.keys(fields).every(isSent)) {
    const left = Object.entries(fields).filter(([key]) => isSent(key));
    now = { ...now, fields: Object.fromEntries(left) };
  }
  const isKept = (key: JsonValue): boolean => mayLack(textOf(key) ?? "");
  if (!Array.isArray(without) || without.every(isKept)) return now;
  return { ...now, without: without.filter(isKept) };
}

/** Returns an `extra` without fields that are not allowed; the same object if there are none. */
export function allowedExtra(extra: JsonObject, allowed: AllowedFields): JsonObject {
  const isKnown = (key: string): boolean => Object.hasOwn(allowed, key);
  const now = keepKeys(extra, (key) => isKnown(key) && allowed[key] !== "absent", isKnown);
  const { inner } = extra;
  if (!isJsonObject(inner)) return now;
  const kept = Object.entries(inner).map(([key, deeper]) => {
    const within = allowed[key] ?? {};
    const isWithin = typeof within === "object" && isJsonObject(deeper);
    return [key, isWithin ? allowedExtra(deeper, within) : deeper] as const;
  });
  const isSame = kept.every(([key, deeper]) => deeper === inner[key]);
  return isSame ? now : { ...now, inner: Object.fromEntries(kept) };
}

/** Format-specific fields that may be sent. */
export interface AllowedOfFormat {
  /** The format's name: entries of other formats are written without such fields. */
  readonly format: string;
  readonly message: (entry: HistoryEntry, extra: JsonObject) => AllowedFields;
  readonly part: (part: ContentPart, entry: HistoryEntry) => AllowedFields;
  readonly call: AllowedFields;
  /** Another key of `extra` that contains such fields: the result of a message, or the item that begins with a part. Default: none. */
  readonly within?: readonly [key: string, fields: AllowedFields];
  /** Allowed keys of opaque and reasoning data. Default: all. */
  readonly data?: (data: JsonObject, part: ContentPart, entry: HistoryEntry) => ReadonlySet<string>;
}

/** Sends only fields that the provider accepts. */
export function knownFields(source: string, allowed: AllowedOfFormat): WireRule {
  const { format, within: [key, inside] = ["", {}] } = allowed;
  const sent = (extra: JsonObject, fields: AllowedFields): JsonObject => {
    const now = allowedExtra(extra, fields);
    const inner = extra[key];
    const left = isJsonObject(inner) ? allowedExtra(inner, inside) : inner;
    return left === undefined || left === inner ? now : { ...now, [key]: left };
  };
  return {
    name: "unknown-field",
    source,
    remedy: "removes fields of answers and of other providers",
    format,
    entry: (entry) => {
      const { data: keysOf } = allowed;
      const known = mapParts(entry, (part) => {
        const data = part.type === "opaque" || part.type === "reasoning" ? part.data : undefined;
        if (keysOf === undefined || !isJsonObject(data)) return part;
        const keys = keysOf(data, part, entry);
        if (Object.keys(data).every((name) => keys.has(name))) return part;
        const left = Object.entries(data).filter(([name]) => keys.has(name));
        return { ...part, data: Object.fromEntries(left) };
      });
      return mapExtra(known, (extra, of) => {
        if ("createdAtMs" in of) return sent(extra, allowed.message(of, extra));
        if ("arguments" in of) return sent(extra, allowed.call);
        return of.type === "opaque" ? extra : sent(extra, allowed.part(of, entry));
      });
    },
  };
}

/** Owner of format-specific data: a part, a call, or an entry (for its message and its result). */
export type FieldHolder = ContentPart | ToolCall | HistoryEntry;

/** Changes every `extra` of an entry: of its parts, its calls and its message. */
export function mapExtra(
  entry: HistoryEntry,
  change: (extra: JsonObject, of: FieldHolder) => JsonObject,
): HistoryEntry {
  const changed = <One extends ContentPart | ToolCall>(one: One): One => {
    const extra = one.extra && change(one.extra, one);
    return extra === one.extra ? one : { ...one, extra };
  };
  const now = mapCalls(mapParts(entry, changed), changed);
  const { origin } = now;
  const extra = origin?.extra && change(origin.extra, entry);
  if (origin === undefined || extra === undefined || extra === origin.extra) return now;
  return { ...now, origin: { ...origin, extra } };
}

/** The keys of an `extra` that contain fields of another object. */
const INNER = ["item", "result"] as const;

/** Makes a function that changes an entry's format-specific fields, including those of opaque and reasoning data, of the item that begins with a part, and of a result. */
export function fieldsChanged(
  change: (fields: JsonObject, of: FieldHolder) => JsonObject,
): (entry: HistoryEntry) => HistoryEntry {
  const inFields = (extra: JsonObject, of: FieldHolder): JsonObject => {
    const { fields } = extra;
    const now = isJsonObject(fields) ? change(fields, of) : fields;
    return now === undefined || now === fields ? extra : { ...extra, fields: now };
  };
  const inside = (extra: JsonObject, key: string, of: FieldHolder): JsonObject => {
    const inner = extra[key];
    const now = isJsonObject(inner) ? inFields(inner, of) : inner;
    return now === undefined || now === inner ? extra : { ...extra, [key]: now };
  };
  const inExtra = (extra: JsonObject, of: FieldHolder): JsonObject =>
    INNER.reduce((now, key) => inside(now, key, of), inFields(extra, of));
  return (entry) =>
    mapExtra(
      mapParts(entry, (part) => {
        if (part.type !== "opaque" && part.type !== "reasoning") return part;
        const data = isJsonObject(part.data) ? change(part.data, part) : part.data;
        return data === part.data || data === undefined ? part : { ...part, data };
      }),
      inExtra,
    );
}
