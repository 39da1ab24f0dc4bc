import type { JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import { isJsonObject, nameOf, parseJson } from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** The calls of Anthropic's own tools, and of MCP servers that it asks. */
const OF_SERVERS: ReadonlySet<JsonValue | undefined> = new Set(["server_tool_use", "mcp_tool_use"]);

/** The calls of an Anthropic message that are answered in a later one: by the caller, or by a server that was not done. */
export const anthropicCalls: CallCodec = {
  read: ({ type, id: wireId, name: wireName, input, caller }, fallbackId) => {
    const name = nameOf(wireName);
    if (type !== "tool_use" && !OF_SERVERS.has(type)) return undefined;
    if (name === undefined || input === undefined) return undefined;
    const callerId = callerOf(caller);
    const call = { id: nameOf(wireId) ?? fallbackId, name, arguments: JSON.stringify(input) };
    return callerId === undefined ? call : { ...call, callerId };
  },
  write: ({ id, name, arguments: text }) => {
    const input = parseJson(text);
    if (input !== undefined) return { type: "tool_use", id, name, input };
    // What is no JSON goes as a field of the object that a call must have.
    return { type: "tool_use", id, name, input: text === "" ? {} : { arguments: text } };
  },
};

/** Tells a block that calls a tool which the provider runs. */
export function isServerBlock({ type }: JsonObject): boolean {
  return OF_SERVERS.has(type);
}

/** Tells a call that the provider runs. */
export function isServerCall({ extra }: ToolCall): boolean {
  const fields = extra?.["fields"];
  return isJsonObject(fields) && isServerBlock(fields);
}

/** Which server tool made a call: a program that Anthropic runs (`code_execution`) calls the caller's tools. */
function callerOf(caller: JsonValue | undefined): string | undefined {
  return isJsonObject(caller) ? nameOf(caller["tool_id"]) : undefined;
}
