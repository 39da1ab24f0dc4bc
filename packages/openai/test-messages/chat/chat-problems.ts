/**
 * Finds what OpenAI refuses in a chat, by its documentation and without our own code: content of the wrong kind for its role,
 * calls that are not all answered directly after them, results that answer no call. The last calls may still run.
 */
export function chatProblems(messages: readonly object[]): readonly string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = field(message, "role");
    const content = field(message, "content");
    if (role === "tool") {
      const entryIndex = open.indexOf(String(field(message, "tool_call_id")));
      if (entryIndex < 0) problems.push(`${index}: a result of no call`);
      else open.splice(entryIndex, 1);
    } else if (open.length > 0) {
      problems.push(`${index}: calls before it have no result`);
      open = [];
    }
    const calls = listOf(field(message, "tool_calls"));
    if (role === "assistant") open = calls.map((call) => String(field(call, "id")));
    else if (calls.length > 0) problems.push(`${index}: calls of no assistant`);
    const allowed = PART_TYPES.get(String(role));
    if (allowed === undefined) problems.push(`${index}: no role`);
    else if (!isContent(content, allowed)) {
      const mayLack = role === "assistant" && calls.length > 0 && (content ?? null) === null;
      if (!mayLack) problems.push(`${index}: content that a ${String(role)} message cannot have`);
    }
  }
  return problems;
}

const PART_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ["system", ["text"]],
  ["developer", ["text"]],
  ["user", ["text", "image_url", "input_audio", "file"]],
  ["assistant", ["text", "refusal"]],
  ["tool", ["text"]],
]);

function isContent(content: unknown, allowed: readonly string[]): boolean {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((part: unknown) => {
      const type = String(field(part, "type"));
      return allowed.includes(type) && isFilled(field(part, type), type);
    })
  );
}

function isFilled(value: unknown, type: string): boolean {
  switch (type) {
    case "text":
    case "refusal":
      return typeof value === "string";
    case "image_url":
      return typeof field(value, "url") === "string";
    case "input_audio":
      return typeof field(value, "data") === "string";
    default:
      return typeof (field(value, "file_id") ?? field(value, "file_data")) === "string";
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
