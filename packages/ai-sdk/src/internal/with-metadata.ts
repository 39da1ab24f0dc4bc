import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, toJson } from "@agent-history/format-kit";
import type { UIMessage } from "ai";

const withMetadataOf = new WeakMap<HistoryEntry, HistoryEntry>();

/** Returns an entry with what its UI message has and a prompt has no place for; the same object where that is the same. */
export function withMetadata(entry: HistoryEntry, message: UIMessage): HistoryEntry {
  const uiMessage = besideOf(message);
  const known = withMetadataOf.get(entry)?.metadata?.["uiMessage"];
  if (isJsonObject(known) && sameJson(known, uiMessage)) return withMetadataOf.get(entry) ?? entry;
  const bearing = { ...entry, metadata: { uiMessage } };
  withMetadataOf.set(entry, bearing);
  return bearing;
}

function besideOf(message: UIMessage): JsonObject {
  const { id, metadata, parts } = fieldsOf(toJson(message));
  const all = Array.isArray(parts) ? parts : [];
  const beside = all.filter((part) => {
    const { type } = fieldsOf(part);
    return typeof type === "string" && (type.startsWith("source-") || type.startsWith("data-"));
  });
  return {
    ...(id !== undefined && { id }),
    ...(metadata !== undefined && { metadata }),
    ...(beside.length > 0 && { parts: beside }),
  };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
