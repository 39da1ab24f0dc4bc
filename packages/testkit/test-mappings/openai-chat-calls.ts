import type { CallCodec } from "./internal/call-codec.ts";
import { isJsonObject } from "./internal/is-json-object.ts";
import { nameOf, textOf } from "./internal/wire-text.ts";

/** The `tool_calls` of an OpenAI chat message: functions and custom tools. */
export const openAIChatCalls: CallCodec = {
  read: (wire, fallbackId) => {
    const id = nameOf(wire["id"]) ?? fallbackId;
    const { function: ofFunction, custom } = wire;
    if (isJsonObject(ofFunction)) {
      const name = nameOf(ofFunction["name"]);
      const text = textOf(ofFunction["arguments"]);
      return name === undefined || text === undefined ? undefined : { id, name, arguments: text };
    }
    const name = isJsonObject(custom) ? nameOf(custom["name"]) : undefined;
    const text = isJsonObject(custom) ? textOf(custom["input"]) : undefined;
    if (name === undefined || text === undefined) return undefined;
    return { id, name, arguments: text, kind: "custom" };
  },
  write: ({ id, name, arguments: text, kind }) =>
    kind === "custom"
      ? { id, type: "custom", custom: { name, input: text } }
      : { id, type: "function", function: { name, arguments: text } },
};

/** The `function_call` of an old OpenAI chat message, which has no id. */
export const openAIChatFunctionCall: CallCodec = {
  read: (wire, fallbackId) => {
    const name = nameOf(wire["name"]);
    const text = textOf(wire["arguments"]);
    if (name === undefined || text === undefined) return undefined;
    return { id: fallbackId, name, arguments: text, extra: { as: "function_call" } };
  },
  write: ({ name, arguments: text }) => ({ name, arguments: text }),
};
