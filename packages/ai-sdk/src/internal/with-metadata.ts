import { customEntry, sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, toJson } from "@agent-history/format-kit";
import type { ModelMessage, UIMessage } from "ai";

import { uiPartsOf } from "./ui-parts.ts";
import { fillTemplate, uiTemplate } from "./ui-template.ts";

/** The type of the entry of a message that a prompt has no place for at all. A model is not shown it. */
const CARRIER = "ui_message";

const withMetadataOf = new WeakMap<HistoryEntry, HistoryEntry>();
const carrierOf = new WeakMap<UIMessage, HistoryEntry>();

/** Returns an entry with what its UI message has and a prompt has no place for; the same object where that is the same. */
export function withMetadata(
  entry: HistoryEntry,
  message: UIMessage,
  became: readonly ModelMessage[],
): HistoryEntry {
  const uiMessage = besideOf(message, became);
  const known = withMetadataOf.get(entry);
  if (known !== undefined && sameJson(known.metadata?.["uiMessage"] ?? null, uiMessage))
    return known;
  const bearing = { ...entry, metadata: { uiMessage } };
  withMetadataOf.set(entry, bearing);
  return bearing;
}

/** Returns the entry of a message that became none: it holds the message, and is never sent. */
export function carrierEntry(
  message: UIMessage,
  sources: { readonly newId: () => string; readonly now?: (() => number) | undefined },
): HistoryEntry {
  const { role, ...beside } = { ...besideOf(message, []), role: toJson(message.role) };
  const uiMessage = { ...beside, role };
  const id = sources.newId();
  const known = carrierOf.get(message);
  const isKnown = known?.id === id && sameJson(known.metadata?.["uiMessage"] ?? null, uiMessage);
  if (known !== undefined && isKnown) return known;
  const createdAtMs = (sources.now ?? Date.now)();
  const entry = customEntry({ type: CARRIER, id, createdAtMs, metadata: { uiMessage } });
  carrierOf.set(message, entry);
  return entry;
}

/** Returns the UI message of its entries and what they say now; `undefined` where they came from none. */
export function restoreMessage(
  entry: HistoryEntry,
  says: readonly ModelMessage[],
): { readonly id: string; readonly fields: JsonObject } | undefined {
  const uiMessage = entry.metadata?.["uiMessage"];
  if (!isJsonObject(uiMessage)) return undefined;
  const { id, metadata, role, parts: template } = uiMessage;
  const usual = uiPartsOf(says);
  return {
    id: nameOf(id) ?? entry.id,
    fields: {
      role: role ?? says[0]?.role ?? "assistant",
      ...(metadata !== undefined && { metadata }),
      parts: Array.isArray(template) ? fillTemplate(usual, template) : usual,
    },
  };
}

function besideOf(message: UIMessage, became: readonly ModelMessage[]): JsonObject {
  const json = toJson(message);
  const { id, metadata, parts } = isJsonObject(json) ? json : {};
  const template = uiTemplate(uiPartsOf(became), Array.isArray(parts) ? parts : []);
  return {
    ...(id !== undefined && { id }),
    ...(metadata !== undefined && { metadata }),
    ...(template !== undefined && { parts: template }),
  };
}
