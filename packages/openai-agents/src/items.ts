import { sameJson } from "@agent-history/core";
import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";
import { isJsonObject, packBinary, textOf, toJson, unpackBinary } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import { itemsReader, itemsWriter } from "@agent-history/openai/items";
import type { ItemFormat } from "@agent-history/openai/items";

import { ITEM_KINDS, KINDS_BY_WIRE } from "./internal/item-kinds.ts";
import type { ItemKind } from "./internal/item-kinds.ts";

/** Input of `fromItems`: any item of the Agents SDK, from a run's input, its history or its new items. Other fields are allowed. */
export interface AgentItemLike {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly id?: unknown;
  readonly content?: unknown;
  readonly callId?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly status?: unknown;
  readonly providerData?: unknown;
}

/** Fields for the entries that items do not contain. */
export type FromItemsOptions = ReadOptions;

/**
 * Converts items of the OpenAI Agents SDK to entries, so that `toItems` returns the same items, including unknown fields and kinds. Linear.
 *
 * Neighboring items of an answer (reasoning, a message, calls) become one `action`, or without calls one `assistant_message`. An item that answers a call becomes an `observation`, a compaction a `summary`. Items
 * of hosted tools are kept in the answer whole, as opaque parts; an approval request becomes a call.
 *
 * Without `newId`, ids are derived from position and text (`agent-item-3-1k2x9f`). Pass the full conversation at each call, so that a reducer can continue its previous plan. The same
 * item object gives the same entry object.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `items` is not a list. Pass a text as `[{ role: "user", content: text }]`.
 *
 * @example
 * ```ts
 * import { fromItems } from "@agent-history/openai-agents";
 *
 * const entries = fromItems([
 *   { role: "user", content: "To Rome, please." },
 *   { type: "function_call", callId: "c1", name: "find", arguments: '{"to":"Rome"}' },
 *   { type: "function_call_result", callId: "c1", name: "find", status: "completed", output: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromItems(
  items: readonly AgentItemLike[],
  options: FromItemsOptions = {},
): readonly HistoryEntry[] {
  return readAgentItems(items, options);
}

/**
 * Converts entries to items of the OpenAI Agents SDK, in order. An unchanged entry object from `fromItems` becomes the same item objects again; one that was changed since becomes items with
 * its present content. Entries of another origin are converted by core's `messageRole`. Linear.
 *
 * @param viewer - The viewer of the prompt: its own `final` is an assistant message, another agent's a user message. Default: none.
 *
 * @example
 * ```ts
 * import { fromItems, toItems } from "@agent-history/openai-agents";
 *
 * const items = [{ role: "user", content: "To Rome, please." }];
 * toItems(fromItems(items))[0] === items[0];
 * // => true
 * ```
 */
export function toItems<Item extends object = AgentItemLike>(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): Item[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each item of the input is returned as an item, with any unknown fields
  return writeAgentItems(entries, viewer) as Item[];
}

/** Type of items that only the SDK has, or that the conversion would not restore exactly. They are kept whole. */
const WHOLE = "agents_item";

/** The format of the SDK's items: those of the Responses API with other names. */
export const agentFormat: ItemFormat = {
  name: "openai-agents",
  idPrefix: "agent-item",
  came: new WeakMap(),
  pack: (item) => {
    const json = isObject(item) && !Array.isArray(item) ? packBinary(item) : toJson(item);
    if (!isJsonObject(json)) return json;
    const wire = toWire(json);
    const isFaithful = sameJson(fromWire(wire), json);
    return isFaithful ? wire : { type: WHOLE, item: json };
  },
};

const readAgentItems: ReturnType<typeof itemsReader> = itemsReader(agentFormat);

const writeAgentItems: ReturnType<typeof itemsWriter> = itemsWriter(agentFormat, (wire, entry) => {
  if (!isJsonObject(wire)) return wire;
  const item = fromWire(wire);
  // A result that a repair added needs a name and a status like any other.
  const isAdded = entry.type === "observation" && entry.origin?.format !== agentFormat.name;
  return unpackBinary(
    isAdded && item["type"] === "function_call_result"
      ? { name: entry.toolName, status: "completed", ...item }
      : item,
  );
});

function toWire(item: JsonObject): JsonObject {
  const type = textOf(item["type"]) ?? (typeof item["role"] === "string" ? "message" : "");
  if (type === "hosted_tool_call") return approvalOf(item) ?? item;
  const kind = ITEM_KINDS.get(type);
  if (kind === undefined) return item;
  const named = rename(item, kind.names);
  const wire = kind.pack?.(named) ?? named;
  return "type" in item ? { ...wire, type: kind.type } : wire;
}

function fromWire(wire: JsonObject): JsonObject {
  const type = textOf(wire["type"]) ?? (typeof wire["role"] === "string" ? "message" : "");
  if (type === WHOLE && isJsonObject(wire["item"])) return wire["item"];
  if (type === "mcp_approval_request" || type === "mcp_approval_response") return hosted(wire);
  const [own, kind] = KINDS_BY_WIRE.get(type) ?? [];
  if (own === undefined || kind === undefined) return wire;
  const item = kind.unpack?.(wire) ?? wire;
  const renamed = rename(
    item,
    kind.names.map(([name, wireName]) => [wireName, name] as const),
  );
  return "type" in renamed ? { ...renamed, type: own } : renamed;
}

function rename(item: JsonObject, names: ItemKind["names"]): JsonObject {
  const to = new Map(names);
  const isFree = names.every(([from, name]) => !(name in item) || to.has(name) || !(from in item));
  if (!isFree || names.length === 0) return item;
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [to.get(key) ?? key, value]),
  );
}

/** Returns the approval request or response in a hosted tool's item. Its other items stay whole, because the provider runs those calls itself. */
function approvalOf(item: JsonObject): JsonObject | undefined {
  const { name, providerData, id } = item;
  if (!isJsonObject(providerData)) return undefined;
  const type = textOf(providerData["type"]) ?? textOf(name);
  if (type !== "mcp_approval_request" && type !== "mcp_approval_response") return undefined;
  const { type: _, ...fields } = providerData;
  return { ...(id !== undefined && { id }), ...fields, type, hosted: item };
}

function hosted({ hosted: came, ...wire }: JsonObject): JsonObject {
  const { type = null, id, ...fields } = wire;
  if (!isJsonObject(came)) {
    const providerData = { type, ...(id !== undefined && { id }), ...fields };
    return { type: "hosted_tool_call", name: type, status: "completed", providerData };
  }
  return came;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
