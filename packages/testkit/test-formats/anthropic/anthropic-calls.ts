import type { JsonValue } from "@agent-history/core";
import { isJsonObject, nameOf, parseJson } from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** The `tool_use` blocks of an Anthropic message. Those of a server tool are carried as they are. */
export const anthropicCalls: CallCodec = {
  read: ({ type, id: wireId, name: wireName, input, caller }, fallbackId) => {
    const name = nameOf(wireName);
    if (type !== "tool_use" || name === undefined || input === undefined) return undefined;
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

/** Which server tool made a call: a program that Anthropic runs (`code_execution`) calls the caller's tools. */
function callerOf(caller: JsonValue | undefined): string | undefined {
  return isJsonObject(caller) ? nameOf(caller["tool_id"]) : undefined;
}
