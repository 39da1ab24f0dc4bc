import type { ContentPart, HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject, textOf } from "./json.ts";
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

/** Returns an `extra` without fields that are not allowed; the same object if there are none. */
export function allowedExtra(extra: JsonObject, allowed: AllowedFields): JsonObject {
  const { fields, without, inner } = extra;
  let now = extra;
  if (isJsonObject(fields) && hasOther(fields, allowed)) {
    const left = Object.entries(fields).filter(([key]) => isSent(key, allowed));
    now = { ...now, fields: Object.fromEntries(left) };
  }
  const mayLack = (key: JsonValue): boolean => Object.hasOwn(allowed, textOf(key) ?? "");
  if (Array.isArray(without) && !without.every(mayLack)) {
    now = { ...now, without: without.filter(mayLack) };
  }
  if (!isJsonObject(inner)) return now;
  for (const [key, deeper] of Object.entries(inner)) {
    const within = allowed[key] ?? {};
    if (typeof within !== "object" || !isJsonObject(deeper)) continue;
    const kept = allowedExtra(deeper, within);
    const others = isJsonObject(now["inner"]) ? now["inner"] : {};
    if (kept !== deeper) now = { ...now, inner: { ...others, [key]: kept } };
  }
  return now;
}

function isSent(key: string, allowed: AllowedFields): boolean {
  return Object.hasOwn(allowed, key) && allowed[key] !== "absent";
}

function hasOther(fields: JsonObject, allowed: AllowedFields): boolean {
  return Object.keys(fields).some((key) => !isSent(key, allowed));
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
    part: (part, entry) => {
      const data = part.type === "opaque" || part.type === "reasoning" ? part.data : undefined;
      if (allowed.data !== undefined && isJsonObject(data)) {
        const keys = allowed.data(data, part, entry);
        if (!Object.keys(data).every((name) => keys.has(name))) {
          const left = Object.entries(data).filter(([name]) => keys.has(name));
          return { ...part, data: Object.fromEntries(left) };
        }
      }
      if (part.extra === undefined || part.type === "opaque") return part;
      const extra = sent(part.extra, allowed.part(part, entry));
      return extra === part.extra ? part : { ...part, extra };
    },
    call: (call) => {
      if (call.extra === undefined) return call;
      const extra = sent(call.extra, allowed.call);
      return extra === call.extra ? call : { ...call, extra };
    },
    extra: (extra, entry) => sent(extra, allowed.message(entry, extra)),
  };
}
