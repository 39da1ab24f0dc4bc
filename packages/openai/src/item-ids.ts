import type { ContentPart, HistoryEntry, JsonValue, ToolCall } from "@agent-history/core";
import {
  fieldsChanged,
  isJsonObject,
  isWellFormed,
  lastThoughts,
  mapEntries,
  mapParts,
  objectOf,
  partsOf,
  textOf,
} from "@agent-history/format-kit";
import type { FieldHolder, WireRule } from "@agent-history/format-kit";

const REASONING = "https://github.com/continuedev/continue/issues/8933";

/** Before `well-formed-text`, which removes such reasoning, but not the ids of its answer. */
export function brokenReasoning(format: string): WireRule {
  return {
    name: "reasoning",
    source: REASONING,
    remedy: "removes reasoning that is not valid Unicode, and the ids of its answer",
    format,
    entry: (entry) => withoutReasons(entry, (part) => isReasoning(part) && !isWellFormed(part)),
  };
}

/**
 * Reasoning must precede the item that it led to. If reasoning without such an item is removed, earlier answers without reasoning may be the item it led to: they lose their ids, by
 * which the server would require the reasoning.
 */
export function wholeReasoning(
  isOwn: (entry: HistoryEntry) => boolean,
  isStored: boolean,
): WireRule {
  return {
    name: "reasoning",
    source: REASONING,
    remedy: "removes reasoning that nothing follows, and the id of an answer without its reasoning",
    repair: (entries) => {
      const cuts = entries.map((entry) => (isOwn(entry) ? cutReasoning(entry, isStored) : NONE));
      const lastCut = cuts.findLastIndex((cut, at) => cut.size > 0 && at < entries.length - 1);
      return mapEntries(entries, (entry, index) => {
        const cut = cuts[index] ?? NONE;
        if (cut.size > 0) return withoutReasons(entry, (part) => cut.has(part));
        const isOfModel = entry.type === "action" || entry.type === "assistant_message";
        const mayBeCut = index < lastCut && isOfModel && isOwn(entry) && !hasReasoning(entry);
        return mayBeCut ? withoutItemIds(entry) : entry;
      });
    },
  };
}

/** Finds the reasoning of an entry that the server would refuse: at the end, or unknown to the server. */
function cutReasoning(entry: HistoryEntry, isStored: boolean): ReadonlySet<ContentPart> {
  if (typeof entry.content !== "object" || !entry.content.some(isReasoning)) return NONE;
  const last = lastThoughts(entry);
  const isLost = (part: ContentPart): boolean => last.has(part) || !(isStored || isSealed(part));
  const cut = entry.content.filter((part) => isReasoning(part) && isLost(part));
  return cut.length === 0 ? NONE : new Set(cut);
}

const NONE: ReadonlySet<ContentPart> = new Set();

function isSealed(part: ContentPart): boolean {
  const data = part.type === "reasoning" ? objectOf(part.data) : {};
  return textOf(data["encrypted_content"]) !== undefined;
}

/** Removes reasoning from an answer, and the ids of its items: by them, the server would require the reasoning. */
function withoutReasons(entry: HistoryEntry, isCut: (part: ContentPart) => boolean): HistoryEntry {
  const left = mapParts(entry, (part) => (isCut(part) ? [] : part));
  return left === entry ? left : withoutItemIds(left);
}

function hasReasoning({ content }: HistoryEntry): boolean {
  return typeof content === "object" && content.some(isReasoning);
}

function isReasoning({ type }: ContentPart): boolean {
  return type === "reasoning";
}

/** Returns an answer without item ids; after its reasoning was removed, the server would require that reasoning by them. */
export const withoutItemIds: (entry: HistoryEntry) => HistoryEntry = fieldsChanged(
  // Other reasoning stays as it is.
  ofIds((id, kind) => (kind === "reasoning" ? id : withoutId(id, kind))),
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

/** Removes the id unless this kind of item requires one. */
function withoutId(id: JsonValue, kind: string): JsonValue | undefined {
  return PREFIXES.has(kind) ? undefined : id;
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["message", "msg"],
  ["reasoning", "rs"],
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
]);

/** Item ids begin with the prefix of their kind and have at most 64 characters. */
export function itemIds(format: string): WireRule {
  const known: ChangeId = (id, kind) => {
    const isTaken = typeof id === "string" && id !== "" && id.length <= 64;
    return id === null || (isTaken && id.startsWith(PREFIXES.get(kind) ?? "")) ? id : undefined;
  };
  return {
    name: "item-id",
    source: "https://github.com/NousResearch/hermes-agent/issues/10788",
    remedy: "removes an id of another kind, or with more than 64 characters",
    format,
    entry: fieldsChanged(ofIds(known)),
  };
}

/** Items and item ids must be unique. */
export function uniqueItems(isOwn: (entry: HistoryEntry) => boolean): WireRule {
  return {
    name: "duplicate-item-id",
    source: "https://github.com/earendil-works/pi/issues/5151",
    remedy:
      "removes a second copy of reasoning or of an answer, and the id of another item with the same id",
    repair: (entries) => {
      // The id of an approval request is also its call id.
      const approvals = callsOf(entries).filter(({ kind }) => kind === "approval");
      const requests = new Set(approvals.map(({ id }) => id));
      const all: JsonValue[] = [...requests];
      const collect = fieldsChanged(ofIds((id) => (all.push(id), id)));
      for (const entry of entries) if (isOwn(entry)) collect(entry);
      return new Set(all).size === all.length ? entries : withoutCopies(entries, isOwn, requests);
    },
  };
}

function withoutCopies(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
  taken: ReadonlySet<string>,
): readonly HistoryEntry[] {
  // Content by id, to recognize copies.
  const said = new Map<JsonValue, string>([...taken].map((id) => [id, ""]));
  const isCopy = (part: ContentPart): boolean => {
    const data = part.type === "opaque" || part.type === "reasoning" ? part.data : undefined;
    const id = isJsonObject(data) ? data["id"] : undefined;
    if (id === undefined || !said.has(id)) return false;
    return part.type === "reasoning" || said.get(id) === JSON.stringify(data);
  };
  return mapEntries(entries, (entry) => {
    if (!isOwn(entry)) return entry;
    const whole = JSON.stringify(entry.content ?? null);
    const isOfAnswer = entry.type === "assistant_message" && typeof entry.content === "object";
    const single =
      isOfAnswer || entry.type === "action"
        ? mapParts(entry, (part) => (isCopy(part) ? [] : part))
        : entry;
    let isSaid = false;
    // The server would require the removed copy of the reasoning by the id of the item that it led to.
    const isCut = single !== entry && !hasReasoning(single);
    const rename = ofIds((id, kind) => {
      const before = said.get(id);
      isSaid ||= isOfAnswer && kind === "message" && before === whole;
      if (before !== undefined) return withoutId(`${textOf(id) ?? ""}_${said.size}`, kind);
      const part = partsOf(single.content).find(
        (one) => one.type === "opaque" && isJsonObject(one.data) && one.data["id"] === id,
      );
      said.set(id, part?.type === "opaque" ? JSON.stringify(part.data) : whole);
      return id;
    });
    // Renamed first: a later copy must not keep an id that is removed here.
    const own = fieldsChanged(rename)(single);
    return isSaid ? [] : isCut ? withoutItemIds(own) : own;
  });
}

export function callsOf(entries: readonly HistoryEntry[]): readonly ToolCall[] {
  return entries.flatMap((entry) => (entry.type === "action" ? entry.toolCalls : []));
}
