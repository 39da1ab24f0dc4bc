import type { JsonObject } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { packContent, packOutput, unpackContent, unpackOutput } from "./item-parts.ts";

/** One kind of item: what the Responses API calls it and its fields, and what else differs. */
export interface ItemKind {
  readonly type: string;
  /** Fields that have the same value under another name: the SDK's, the API's. */
  readonly names: readonly (readonly [own: string, wire: string])[];
  readonly pack?: (item: JsonObject) => JsonObject;
  readonly unpack?: (wire: JsonObject) => JsonObject;
}

const CALL_ID = ["callId", "call_id"] as const;

/** The SDK's kinds, by its names; what is not here has the same name and fields in the API, or only the SDK knows it. */
export const ITEM_KINDS: ReadonlyMap<string, ItemKind> = new Map<string, ItemKind>([
  ["message", { type: "message", names: [], pack: packContent, unpack: unpackContent }],
  ["function_call", called("function_call")],
  ["function_call_result", result("function_call_output")],
  ["computer_call", called("computer_call")],
  [
    "computer_call_result",
    {
      type: "computer_call_output",
      names: [CALL_ID],
      pack: (item) => ({ ...item, output: renamed(item["output"], "data", "image_url") }),
      unpack: (wire) => ({ ...wire, output: renamed(wire["output"], "image_url", "data") }),
    },
  ],
  ["shell_call", called("shell_call")],
  [
    "shell_call_output",
    {
      type: "shell_call_output",
      names: [CALL_ID],
      pack: (item) => inOutcomes(item, "exitCode", "exit_code"),
      unpack: (wire) => inOutcomes(wire, "exit_code", "exitCode"),
    },
  ],
  ["apply_patch_call", called("apply_patch_call")],
  ["apply_patch_call_output", called("apply_patch_call_output")],
  ["program", called("program")],
  ["program_output", { type: "program_output", names: [CALL_ID, ["output", "result"]] }],
  ["tool_search_call", search("tool_search_call")],
  ["tool_search_output", search("tool_search_output")],
  [
    "reasoning",
    {
      type: "reasoning",
      // The raw thoughts have the name of the summary in the API: they change places.
      names: [
        ["content", "summary"],
        ["rawContent", "content"],
      ],
      pack: (item) => ({ ...inSummary(item, "input_text", "summary_text"), ...sealOf(item) }),
      unpack: (wire) => withoutSeal(inSummary(wire, "summary_text", "input_text")),
    },
  ],
]);

/** The SDK's names, by those of the API. */
export const KINDS_BY_WIRE: ReadonlyMap<string, readonly [own: string, kind: ItemKind]> = new Map(
  [...ITEM_KINDS].map(([own, kind]) => [kind.type, [own, kind]]),
);

/** A program calls functions, too: its id stands in `caller`. */
function called(type: string): ItemKind {
  return {
    type,
    names: [CALL_ID],
    pack: (item) => inCaller(item, "callerId", "caller_id"),
    unpack: (wire) => inCaller(wire, "caller_id", "callerId"),
  };
}

function result(type: string): ItemKind {
  const { names, pack, unpack } = called(type);
  return {
    type,
    names,
    pack: (item) => packOutput(pack?.(item) ?? item),
    unpack: (wire) => unpackOutput(unpack?.(wire) ?? wire),
  };
}

/** The SDK takes both names of the call's id here. */
function search(type: string): ItemKind {
  return {
    type,
    names: [],
    pack: (item) => {
      const { callId, call_id: wireId = callId } = item;
      return wireId === undefined ? item : { ...item, call_id: wireId };
    },
    unpack: ({ call_id: wireId, ...wire }) =>
      wireId === undefined || "callId" in wire ? wire : { ...wire, call_id: wireId },
  };
}

function inCaller(item: JsonObject, from: string, to: string): JsonObject {
  return "caller" in item ? { ...item, caller: renamed(item["caller"], from, to) } : item;
}

function inOutcomes(item: JsonObject, from: string, to: string): JsonObject {
  const { output } = item;
  if (!Array.isArray(output)) return item;
  const chunks = output.map((chunk) =>
    isJsonObject(chunk) && "outcome" in chunk
      ? { ...chunk, outcome: renamed(chunk["outcome"], from, to) }
      : chunk,
  );
  return { ...item, output: chunks };
}

function inSummary(item: JsonObject, from: string, to: string): JsonObject {
  const key = "summary" in item ? "summary" : "content";
  const { [key]: texts } = item;
  if (!Array.isArray(texts)) return item;
  const written = texts.map((text) =>
    isJsonObject(text) && text["type"] === from ? { ...text, type: to } : text,
  );
  return { ...item, [key]: written };
}

/** A sealed thought counts what it holds: its seal stands beside the item's fields in the API. */
function sealOf({ providerData }: JsonObject): JsonObject {
  const data = isJsonObject(providerData) ? providerData : {};
  const seal = data["encryptedContent"] ?? data["encrypted_content"];
  return typeof seal === "string" ? { encrypted_content: seal } : {};
}

function withoutSeal(wire: JsonObject): JsonObject {
  const { encrypted_content: seal, ...item } = wire;
  return seal !== undefined && sealOf(wire)["encrypted_content"] === undefined ? wire : item;
}

function renamed(
  value: JsonObject[string] | undefined,
  from: string,
  to: string,
): JsonObject[string] {
  if (value === undefined) return null;
  if (!isJsonObject(value) || !(from in value) || to in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key === from ? to : key, field]),
  );
}
