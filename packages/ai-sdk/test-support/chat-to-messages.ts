import type { ModelMessage, ToolCallPart } from "ai";

/** A message of a recorded chat. */
export interface RecordedMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** Gives a recorded OpenAI chat as messages of the AI SDK. */
export function chatToMessages(chat: readonly RecordedMessage[]): ModelMessage[] {
  // One id may stand for two calls of an answer: their results come in order.
  let open: { readonly id: string; readonly name: string }[] = [];
  return chat.map(({ role, content, tool_calls: calls = [], tool_call_id: id = "" }) => {
    const text = content ?? "";
    if (role === "system") return { role, content: text };
    if (role === "user") return { role, content: text };
    if (role === "tool") {
      const output = { type: "text", value: text } as const;
      const index = open.findIndex((call) => call.id === id);
      const toolName = open.splice(index, 1)[0]?.name ?? "";
      return { role, content: [{ type: "tool-result", toolCallId: id, toolName, output }] };
    }
    if (calls.length === 0) return { role: "assistant", content: text };
    open = calls.map((call) => ({ id: call.id, name: call.function.name }));
    const said = text === "" ? [] : [{ type: "text" as const, text }];
    return { role: "assistant", content: [...said, ...calls.map(toCall)] };
  });
}

function toCall(call: NonNullable<RecordedMessage["tool_calls"]>[number]): ToolCallPart {
  const { name, arguments: text } = call.function;
  return { type: "tool-call", toolCallId: call.id, toolName: name, input: JSON.parse(text) };
}
