import type { JsonObject, ToolCall } from "@agent-history/core";
import { isJsonObject, nameOf, textOf, writeCall } from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** The calls in `tool_calls`. */
export const chatCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const id = nameOf(wire["id"]) ?? fallbackId;
    const { function: ofFunction, custom } = wire;
    if (isJsonObject(ofFunction)) {
      const name = nameOf(ofFunction["name"]);
      const text = textOf(ofFunction["arguments"]);
      return name === undefined || text === undefined ? undefined : { id, name, arguments: text };
    }
    if (!isJsonObject(custom)) return undefined;
    const name = nameOf(custom["name"]);
    const text = textOf(custom["input"]);
    if (name === undefined || text === undefined) return undefined;
    return { id, name, arguments: text, kind: "custom" };
  },
  write: ({ id, name, arguments: text, kind }) =>
    kind === "custom"
      ? { id, type: "custom", custom: { name, input: text } }
      : { id, type: "function", function: { name, arguments: text } },
};

/** The `function_call` of an old message, which has no id. */
export const functionCalls: CallCodec = {
  read: (wire, id) => {
    const name = nameOf(wire["name"]);
    const text = textOf(wire["arguments"]);
    if (name === undefined || text === undefined) return undefined;
    return { id, name, arguments: text, extra: { as: "function_call" } };
  },
  write: ({ name, arguments: text }) => ({ name, arguments: text }),
};

/** Writes a call as it came; one of another format as one of `tool_calls`. */
export function writeChatCall(call: ToolCall, isOwn: boolean): JsonObject {
  return writeCall(call, isOwn && isFunctionCall(call) ? functionCalls : chatCalls, isOwn);
}

/** Returns whether a call came as the `function_call` of an old message. */
export function isFunctionCall({ extra }: ToolCall): boolean {
  return extra?.["as"] === "function_call";
}
