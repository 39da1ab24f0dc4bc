import type { JsonValue, ToolCall } from "@agent-history/core";
import { isJsonObject, nameOf, parseJson } from "@agent-history/format-kit";
import type { CallCodec } from "@agent-history/format-kit";

/** Marks a call whose input came as a value that is not an object. */
const VALUE = "value";

/** The tool calls of an AI SDK message that are answered in a later one. */
export const modelCalls: CallCodec = {
  read: ({ type, toolCallId, toolName, input, providerOptions }) => {
    const id = nameOf(toolCallId);
    const name = nameOf(toolName);
    if (type !== "tool-call" || id === undefined || name === undefined) return undefined;
    const callerId = callerOf(providerOptions);
    const named = { id, name, ...(callerId !== undefined && { callerId }) };
    if (input === undefined) return { ...named, arguments: "" };
    const call = { ...named, arguments: JSON.stringify(input) };
    return isJsonObject(input) ? call : { ...call, extra: { as: VALUE } };
  },
  write: ({ id, name, arguments: text, extra }) => {
    const usual = { type: "tool-call", toolCallId: id, toolName: name };
    // The AI SDK itself keeps an input that is no JSON as its text; of a number, parsing might lose digits.
    const input = parseJson(text);
    if (isJsonObject(input) || (extra?.["as"] === VALUE && input !== undefined)) {
      return { ...usual, input };
    }
    return text === "" ? usual : { ...usual, input: text };
  },
};

/** Tells a call that the provider runs. */
export function isProviderCall(call: ToolCall | undefined): boolean {
  const fields = call?.extra?.["fields"];
  return isJsonObject(fields) && fields["providerExecuted"] === true;
}

/** Which call made a call, where a program did that Anthropic runs. */
function callerOf(providerOptions: JsonValue | undefined): string | undefined {
  const options = isJsonObject(providerOptions) ? providerOptions["anthropic"] : undefined;
  const caller = isJsonObject(options) ? options["caller"] : undefined;
  return isJsonObject(caller) ? nameOf(caller["toolId"]) : undefined;
}

/** The requests to approve a call. Which call it is about stays in `extra`. */
export const approvalRequests: CallCodec = {
  read: ({ type, approvalId }) => {
    const id = nameOf(approvalId);
    if (type !== "tool-approval-request" || id === undefined) return undefined;
    return { id, name: "unknown_tool", arguments: "", kind: "approval", extra: { as: type } };
  },
  write: ({ id }) => ({ type: "tool-approval-request", approvalId: id }),
};
