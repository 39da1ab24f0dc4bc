import { get_encoding } from "tiktoken";

const encoding = get_encoding("o200k_base");

/**
 * Counts what one item costs, by the rules of OpenAI's cookbook for messages and without our own code: each message, call and
 * result 3 and its texts, a result its tool's name too; a thought what it holds; what the provider ran, its JSON. An image,
 * a screenshot or a file costs 5000.
 */
export function itemTokens(item: object, toolName = ""): number {
  const said = field(item, "type");
  const type = typeof said === "string" ? said : "message";
  switch (type) {
    case "message":
      return 3 + tokensOf(field(item, "role")) + contentTokens(field(item, "content"));
    case "function_call":
      return 3 + tokensOf(field(item, "name")) + tokensOf(field(item, "arguments"));
    case "custom_tool_call":
      return 3 + tokensOf(field(item, "name")) + tokensOf(field(item, "input"));
    case "function_call_output":
    case "custom_tool_call_output":
      return asResult(toolName) + contentTokens(field(item, "output"));
    case "reasoning": {
      const seal = field(item, "encrypted_content");
      const shown = contentTokens(field(item, "summary")) + contentTokens(field(item, "content"));
      // A seal hides a thought, of which the summary is a part: four characters of base64 a token.
      const isLong = typeof seal === "string" && seal.length >= 64;
      return isLong ? Math.max(shown, Math.ceil(seal.length / 4)) : shown + tokensOf(seal);
    }
    case "computer_call":
    case "local_shell_call":
    case "shell_call":
      return 3 + tokensOf(type.replace("_call", "")) + jsonTokens(field(item, "action"));
    case "apply_patch_call":
      return 3 + tokensOf("apply_patch") + jsonTokens(field(item, "operation"));
    case "mcp_approval_request":
      return 3 + tokensOf(field(item, "name")) + tokensOf(field(item, "arguments"));
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return asResult(toolName) + tokensOf(field(item, "output"));
    case "mcp_approval_response":
      return asResult(toolName) + tokensOf(field(item, "reason"));
    case "computer_call_output":
      return asResult(toolName) + 5000;
    case "shell_call_output":
      return asResult(toolName) + shellTokens(field(item, "output"));
    default:
      return jsonTokens(item);
  }
}

function asResult(toolName: string): number {
  return 4 + tokensOf("tool") + tokensOf(toolName);
}

function shellTokens(output: unknown): number {
  const chunks: readonly unknown[] = Array.isArray(output) ? output : [];
  return chunks.reduce(
    (sum: number, chunk) =>
      sum + tokensOf(field(chunk, "stdout")) + tokensOf(field(chunk, "stderr")),
    0,
  );
}

function jsonTokens(value: unknown): number {
  return tokensOf(JSON.stringify(value));
}

function contentTokens(content: unknown): number {
  if (!Array.isArray(content)) return tokensOf(content);
  return content.reduce((sum: number, part: unknown) => {
    const text = field(part, "text") ?? field(part, "refusal");
    return sum + (text === undefined ? 5000 : tokensOf(text));
  }, 0);
}

function tokensOf(text: unknown): number {
  return typeof text === "string" ? encoding.encode(text, [], []).length : 0;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
