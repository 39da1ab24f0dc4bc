import { sameJson } from "@agent-history/core";
import type { ContentPart, HistoryEntry, JsonValue, ToolCall } from "@agent-history/core";
import {
  fieldsChanged,
  isJsonObject,
  isWellFormed,
  lastThoughts,
  mapEntries,
  mapParts,
  objectOf,
  textOf,
} from "@agent-history/format-kit";
import type { FieldHolder, WireRule } from "@agent-history/format-kit";

const REASONING = "https://github.com/continuedev/continue/issues/8933";

/**
 * Reasoning has a `summary`, which may be empty, is valid text, precedes the item that it led to and, unless responses are stored, is encrypted. The ids of an answer go with its reasoning, by which the server would require it; so do those of
 * other answers without reasoning, one of which may be the item that removed reasoning led to.
 */
export function wholeReasoning(format: string, isStored: boolean): WireRule {
  return {
    name: "reasoning",
    source: REASONING,
    remedy: "removes reasoning that cannot be sent, and the ids of its answer; adds a `summary`",
    format,
    // Before `well-formed-text`, which removes such reasoning, but not the ids of its answer.
    entry: (entry) => withoutReasons(entry, (part) => !isWellFormed(part)),
    part: (part) => {
      const data = part.type === "reasoning" && part.extra?.["as"] === "block" ? part.data : null;
      const lacks = isJsonObject(data) && !Array.isArray(data["summary"]);
      return lacks ? { ...part, data: { ...data, summary: [] } } : part;
    },
    repair: (entries) => {
      let hasCut = false;
      const left = mapEntries(entries, (entry, index) => {
        if (entry.origin?.format !== format || !hasReasoning(entry)) return entry;
        const last = lastThoughts(entry);
        const own = withoutReasons(
          entry,
          (part) => last.has(part) || !(isStored || isSealed(part)),
        );
        // Reasoning at the end of the last answer leads to an item that is yet to come.
        hasCut ||= own !== entry && index < entries.length - 1;
        return own;
      });
      if (!hasCut) return left;
      return mapEntries(left, (entry) => {
        const isOfModel = entry.type === "action" || entry.type === "assistant_message";
        const isOwn = isOfModel && entry.origin?.format === format;
        return isOwn && !hasReasoning(entry) ? withoutItemIds(entry) : entry;
      });
    },
  };
}

function isSealed(part: ContentPart): boolean {
  const data = part.type === "reasoning" ? objectOf(part.data) : {};
  return textOf(data["encrypted_content"]) !== undefined;
}

/** Removes reasoning from an answer, and with it the ids of its items. */
function withoutReasons(entry: HistoryEntry, isCut: (part: ContentPart) => boolean): HistoryEntry {
  if (!hasReasoning(entry)) return entry;
  const left = mapParts(entry, (part) => (part.type === "reasoning" && isCut(part) ? [] : part));
  return left === entry ? left : withoutItemIds(left);
}

function hasReasoning({ content }: HistoryEntry): boolean {
  return typeof content === "object" && content.some(({ type }) => type === "reasoning");
}

/** Returns an answer without item ids; after its reasoning was removed, the server would require that reasoning by them. */
export const withoutItemIds: (entry: HistoryEntry) => HistoryEntry = fieldsChanged(
  // Other reasoning stays as it is.
  ofIds((id, kind) => (kind !== "reasoning" && PREFIXES.has(kind) ? undefined : id)),
);

type ChangeId = (id: JsonValue, kind: string) => JsonValue | undefined;

/** Changes the ids of the items that an entry is written as; `undefined` removes an id. */
function ofIds(change: ChangeId): Parameters<typeof fieldsChanged>[0] {
  return (fields, of) => {
    const { id } = fields;
    if (id === undefined || ("kind" in of && of.kind === "approval")) return fields;
    const now = change(id, textOf(fields["type"]) ?? kindOf(of));
    if (now === id) return fields;
    const { id: _, ...bare } = fields;
    return now === undefined ? bare : { ...fields, id: now };
  };
}

function kindOf(of: FieldHolder): string {
  if (!("type" in of)) {
    return (
      textOf(of.extra?.["as"]) ?? (of.kind === "custom" ? "custom_tool_call" : "function_call")
    );
  }
  if (of.type === "reasoning") return of.type;
  return of.type === "opaque" || of.type === "observation" ? "" : "message";
}

/** The kinds of items that may be sent without an id, and the beginnings of their ids. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["message", "msg"],
  ["reasoning", "rs"],
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
]);

/** Item ids begin with the prefix of their kind, have at most 64 characters and are unique. */
export function itemIds(format: string): WireRule {
  return {
    name: "item-id",
    source: "https://github.com/NousResearch/hermes-agent/issues/10788",
    remedy: "removes the id; of a second copy of reasoning or of an answer, the copy",
    repair: (entries) => {
      const taken = new Map<JsonValue, HistoryEntry | undefined>();
      // The id of an approval request is also its call id.
      for (const { kind, id } of callsOf(entries))
        if (kind === "approval") taken.set(id, undefined);
      return mapEntries(entries, (entry) =>
        entry.origin?.format === format ? ownIds(entry, taken) : entry,
      );
    },
  };
}

/** @param taken - The ids before this entry, with their entries. */
function ownIds(
  entry: HistoryEntry,
  taken: Map<JsonValue, HistoryEntry | undefined>,
): HistoryEntry | readonly HistoryEntry[] {
  const single = mapParts(entry, (part) => {
    const data = part.type === "reasoning" || part.type === "opaque" ? objectOf(part.data) : {};
    return data["type"] !== "message" && taken.has(data["id"] ?? null) ? [] : part;
  });
  let isCopy = false;
  const named = fieldsChanged(
    ofIds((id, kind) => {
      if (id === null) return id;
      const isName = typeof id === "string" && id !== "" && id.length <= 64;
      if (!isName || !id.startsWith(PREFIXES.get(kind) ?? "")) return undefined;
      isCopy ||= kind === "message" && sameJson(taken.get(id)?.content, entry.content);
      const own = taken.has(id) ? `${id}_${taken.size}` : id;
      if (own !== id && PREFIXES.has(kind)) return undefined;
      taken.set(own, entry);
      return own;
    }),
  )(single);
  if (isCopy && entry.type === "assistant_message") return [];
  // Renamed first: a later copy must not keep an id that is removed here.
  return single === entry ? named : withoutItemIds(named);
}

export function callsOf(entries: readonly HistoryEntry[]): readonly ToolCall[] {
  return entries.flatMap((entry) => (entry.type === "action" ? entry.toolCalls : []));
}
