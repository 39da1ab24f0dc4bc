import type { JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import { isJsonObject, nameOf, parseJson, textOf } from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** The calls of built-in tools that the caller runs, and programs, whose own calls it runs: the tool's name, and the fields that are its arguments. */
const BUILT_IN: ReadonlyMap<string, { readonly name: string; readonly keys: readonly string[] }> =
  new Map([
    ["computer_call", { name: "computer", keys: ["action", "actions"] }],
    ["local_shell_call", { name: "local_shell", keys: ["action"] }],
    ["shell_call", { name: "shell", keys: ["action"] }],
    ["apply_patch_call", { name: "apply_patch", keys: ["operation"] }],
    ["tool_search_call", { name: "tool_search", keys: ["arguments"] }],
    ["program", { name: "program", keys: ["code"] }],
  ]);

/** The items of a Responses answer that the caller must answer. What the provider ran itself is carried as it is. */
export const responseCalls: CallCodec = {
  read: (wire, fallbackId) => withCaller(readOwn(wire, fallbackId), wire),
  write: (call) => {
    const { id, name, arguments: text, kind } = call;
    const as = textOf(call.extra?.["as"]);
    if (as === "mcp_approval_request") return { type: as, id, name, arguments: text };
    const fields = as === undefined ? undefined : parseJson(text);
    if (as !== undefined && isJsonObject(fields)) return { type: as, call_id: id, ...fields };
    return kind === "custom"
      ? { type: "custom_tool_call", call_id: id, name, input: text }
      : { type: "function_call", call_id: id, name, arguments: text };
  },
};

/** Tells the calls whose result comes in a later request. A search for tools without a call id is the provider's own. */
export function isResponseCall({ type, call_id: callId }: JsonObject): boolean {
  if (typeof type !== "string") return false;
  if (type === "tool_search_call") return nameOf(callId) !== undefined;
  const named = ["function_call", "custom_tool_call", "mcp_approval_request"];
  return named.includes(type) || BUILT_IN.has(type);
}

function readOwn(wire: JsonObject, fallbackId: string): ToolCall | undefined {
  const { type, call_id: callId, name, arguments: text, input } = wire;
  const id = nameOf(callId) ?? fallbackId;
  switch (type) {
    case "function_call":
      return readNamed(id, name, text);
    case "custom_tool_call":
      return readNamed(id, name, input, { kind: "custom" });
    case "mcp_approval_request":
      return readNamed(nameOf(wire["id"]) ?? fallbackId, name, text, {
        kind: "approval",
        extra: { as: type },
      });
    default:
      return typeof type === "string" ? readBuiltIn(type, wire, id) : undefined;
  }
}

/** A program that the provider runs calls functions, too. */
function withCaller(call: ToolCall | undefined, { caller }: JsonObject): ToolCall | undefined {
  const callerId = isJsonObject(caller) ? nameOf(caller["caller_id"]) : undefined;
  return call === undefined || callerId === undefined ? call : { ...call, callerId };
}

function readNamed(
  id: string,
  wireName: JsonValue | undefined,
  text: JsonValue | undefined,
  fields: Pick<ToolCall, "kind" | "extra"> = {},
): ToolCall | undefined {
  const name = nameOf(wireName);
  if (name === undefined || typeof text !== "string") return undefined;
  return { id, name, arguments: text, ...fields };
}

function readBuiltIn(type: string, wire: JsonObject, id: string): ToolCall | undefined {
  const tool = BUILT_IN.get(type);
  if (tool === undefined) return undefined;
  const fields = Object.entries(wire).filter(([key]) => tool.keys.includes(key));
  const text = JSON.stringify(Object.fromEntries(fields));
  return { id, name: tool.name, arguments: text, extra: { as: type } };
}
