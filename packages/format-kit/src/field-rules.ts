import type { ContentPart, HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject, textOf } from "./json.ts";
import type { WireRule } from "./wire-rules.ts";

/** Fields of a provider's object: `true` may be sent, `absent` may be missing, an object says which fields may be sent inside. */
export interface AllowedFields {
  readonly [key: string]: true | "absent" | AllowedFields;
}

/** Returns fields of which each may be sent, from their names with a space between. */
export function sentFields(names: string, others: AllowedFields = {}): AllowedFields {
  return {
    ...Object.fromEntries(names.split(" ").map((name) => [name, true] as const)),
    ...others,
  };
}

/** Returns what a message, a part or a call holds beside what it says, without the fields that are refused; the same object if there are none. */
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

/** What may be sent of the fields that no entry has. */
export interface AllowedOfFormat {
  /** The format's name: what came from others is written without such fields. */
  readonly format: string;
  /** Returns what a message holds beside what its entries say, without what is refused; by identity if nothing is. */
  readonly message: (extra: JsonObject, entry: HistoryEntry) => JsonObject;
  readonly part: (part: ContentPart, entry: HistoryEntry) => AllowedFields;
  /** The keys of what no part says. Default: all. */
  readonly opaque?: (data: JsonObject, entry: HistoryEntry) => ReadonlySet<string>;
  readonly call: AllowedFields;
}

/** Only fields that the provider takes are sent. */
export function knownFields(
  source: string,
  { format, message, part: ofPart, opaque: ofOpaque, call: ofCall }: AllowedOfFormat,
): WireRule {
  return {
    name: "unknown-field",
    source,
    remedy: "fields of answers, and of other providers, are left out",
    format,
    part: (part, entry) => {
      if (part.type === "opaque" && ofOpaque !== undefined && isJsonObject(part.data)) {
        const keys = ofOpaque(part.data, entry);
        const left = Object.entries(part.data).filter(([key]) => keys.has(key));
        if (left.length === Object.keys(part.data).length) return part;
        return { ...part, data: Object.fromEntries(left) };
      }
      if (part.extra === undefined) return part;
      const extra = allowedExtra(part.extra, ofPart(part, entry));
      return extra === part.extra ? part : { ...part, extra };
    },
    call: (call) => {
      if (call.extra === undefined) return call;
      const extra = allowedExtra(call.extra, ofCall);
      return extra === call.extra ? call : { ...call, extra };
    },
    extra: message,
  };
}
