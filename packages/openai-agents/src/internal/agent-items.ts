import { sameJson } from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import { isJsonObject, packBinary, textOf, toJson, unpackBinary } from "@agent-history/format-kit";
import { itemsReader, itemsWriter } from "@agent-history/openai/items";
import type { ItemFormat } from "@agent-history/openai/items";

import { ITEM_KINDS, KINDS_BY_WIRE } from "./item-kinds.ts";
import type { ItemKind } from "./item-kinds.ts";

/** What an item is in that only the SDK knows, or that would not come back word for word. */
const WHOLE = "agents_item";

/** The SDK's items: those of the Responses API under names of its own. */
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

export const readAgentItems: ReturnType<typeof itemsReader> = itemsReader(agentFormat);

export const writeAgentItems: ReturnType<typeof itemsWriter> = itemsWriter(
  agentFormat,
  (wire, entry) => {
    if (!isJsonObject(wire)) return wire;
    const item = fromWire(wire);
    // What a repair added has a name and a status like any other.
    const isAdded = entry.type === "observation" && entry.origin?.format !== agentFormat.name;
    return unpackBinary(
      isAdded && item["type"] === "function_call_result"
        ? { name: entry.toolName, status: "completed", ...item }
        : item,
    );
  },
);

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

/** An approval is asked for and given by items of a hosted tool; what else such a tool does, the provider does itself. */
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
