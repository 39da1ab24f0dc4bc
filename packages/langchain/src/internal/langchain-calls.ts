import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import {
  isJsonObject,
  mergeJson,
  nameOf,
  parseJson,
  textOf,
  wireDifference,
} from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** The calls in `tool_calls`. */
export const langChainCalls: CallCodec = {
  read: ({ id, name, args }, fallbackId) => {
    const called = nameOf(name);
    if (called === undefined || !isJsonObject(args)) return undefined;
    return { id: nameOf(id) ?? fallbackId, name: called, arguments: JSON.stringify(args) };
  },
  write: ({ id, name, arguments: text }) => ({ name, args: argsOf(text), id, type: "tool_call" }),
};

/** Arguments are an object for LangChain; text that is none stands in `input`, as that of custom tools does. */
function argsOf(text: string): JsonObject {
  const args = parseJson(text);
  if (isJsonObject(args)) return args;
  return text.trim() === "" ? {} : { input: text };
}

/** How providers write a call once more in its message. */
const CALL_COPIES = ["tool_use", "tool_call", "function"] as const;

type CopyKind = (typeof CALL_COPIES)[number];

/** Returns what a copy of a call has beside the call, if it says what the call says: for the call's `extra`. */
export function readCopy(call: ToolCall, copy: JsonValue): JsonObject | undefined {
  const kind = isJsonObject(copy) ? CALL_COPIES.find((one) => one === copy["type"]) : undefined;
  if (!isJsonObject(copy) || kind === undefined || !isCopyOf(call, copy, kind)) return undefined;
  const difference = wireDifference(copyOf(call, kind), copy);
  return { as: kind, ...difference };
}

/** Writes a copy of a call, with what the call says now. */
export function writeCopy(call: ToolCall, told: JsonObject): JsonObject {
  const kind = CALL_COPIES.find((one) => one === told["as"]) ?? "tool_call";
  return mergeJson(copyOf(call, kind), told);
}

function copyOf(call: ToolCall, kind: CopyKind): JsonObject {
  const { id, name, arguments: text } = call;
  if (kind === "tool_use") return { type: kind, id, name, input: argsOf(text) };
  if (kind === "tool_call") return { type: kind, id, name, args: argsOf(text) };
  return { id, type: kind, function: { name, arguments: text } };
}

function isCopyOf(call: ToolCall, copy: JsonObject, kind: CopyKind): boolean {
  const { [kind]: inner } = copy;
  const said = kind === "function" && isJsonObject(inner) ? inner : copy;
  const args = kind === "function" ? parseJson(textOf(said["arguments"]) ?? "") : undefined;
  const given = args ?? copy["input"] ?? copy["args"];
  if (copy["id"] !== call.id || said["name"] !== call.name || given === undefined) return false;
  return sameJson(given, argsOf(call.arguments));
}

/** Returns the call with its arguments word for word as the provider wrote them, where a copy has them and they say the same. */
export function asWritten(call: ToolCall, copy: JsonValue): ToolCall {
  const inner = isJsonObject(copy) ? copy["function"] : undefined;
  const text = isJsonObject(inner) ? textOf(inner["arguments"]) : undefined;
  // A person who edits a call edits the message, not the provider's copy.
  const isSame = text !== undefined && readCopy(call, copy) !== undefined;
  return isSame ? { ...call, arguments: text } : call;
}
