const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["human", "user"],
  ["ai", "assistant"],
]);

/** LangChain's messages as its class for OpenAI sends them, as far as the rules of pairing ask. */
export function chatOf(messages: readonly object[]): readonly object[] {
  return messages.map((message) => {
    const { type, tool_calls: calls, ...said }: { type?: unknown; tool_calls?: unknown } = message;
    const role = ROLES.get(type) ?? type;
    const isCalling = Array.isArray(calls) && calls.length > 0;
    return { ...said, role, ...(isCalling && { tool_calls: calls }) };
  });
}

/** Finds calls that are not all answered directly after them, and results that answer no call. */
export function unpairedIn(chat: readonly object[]): readonly string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const [index, message] of [...chat, {}].entries()) {
    const { role, tool_call_id: id, tool_calls: calls = [] }: Message = message;
    const answers = open.indexOf(id ?? "");
    if (role === "tool") {
      if (answers < 0) problems.push(`${index}: a result of no call`);
      else open.splice(answers, 1);
      continue;
    }
    if (open.length > 0) problems.push(`${index}: calls before it have no result`);
    open = calls.map((call) => call.id);
  }
  return problems;
}

interface Message {
  readonly role?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}
