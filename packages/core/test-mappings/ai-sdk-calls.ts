import type { CallCodec } from "./internal/call-codec.ts";
import { parseJson } from "./internal/parse-json.ts";
import { nameOf } from "./internal/wire-text.ts";

/** The tool calls of an AI SDK message that the caller answers. */
export const aiSdkCalls: CallCodec = {
  read: ({ type, toolCallId, toolName, input }) => {
    const id = nameOf(toolCallId);
    const name = nameOf(toolName);
    if (type !== "tool-call" || id === undefined || name === undefined) return undefined;
    return { id, name, arguments: input === undefined ? "" : JSON.stringify(input) };
  },
  write: ({ id, name, arguments: text }) => {
    const usual = { type: "tool-call", toolCallId: id, toolName: name };
    // The AI SDK itself keeps an input that is no JSON as its text.
    const input = parseJson(text);
    if (input === undefined) return text === "" ? usual : { ...usual, input: text };
    return { ...usual, input };
  },
};

/** The requests to approve a call. Which call it is about stays in `extra`. */
export const aiSdkApprovalRequests: CallCodec = {
  read: ({ type, approvalId }) => {
    const id = nameOf(approvalId);
    if (type !== "tool-approval-request" || id === undefined) return undefined;
    return { id, name: "unknown_tool", arguments: "", kind: "approval", extra: { as: type } };
  },
  write: ({ id }) => ({ type: "tool-approval-request", approvalId: id }),
};
