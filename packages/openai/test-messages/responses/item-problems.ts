/**
 * Finds what OpenAI refuses in the items of a request, by its documentation and without our own code: a call without its
 * output, an output of no call or of another kind than its call's, one that does not follow its answer at once, a thought
 * without the item it led to, content of the wrong kind for its role. The calls at the end may still run.
 */
export function itemProblems(items: readonly object[]): readonly string[] {
  const problems: string[] = [];
  let open: OpenCall[] = [];
  let isAnswered = false;
  for (const [index, item] of items.entries()) {
    const type = kindOf(item);
    const output = OUTPUTS.get(type);
    if (output !== undefined) {
      const id = String(field(item, output.idKey));
      const entryIndex = open.findIndex((call) => call.id === id && call.output === type);
      if (entryIndex < 0) problems.push(`${index}: an output of no call: ${type}`);
      else open.splice(entryIndex, 1);
      isAnswered = true;
    } else {
      const isAnswer = isAnswerKind(item, type);
      if (open.length > 0 && (isAnswered || !isAnswer)) {
        problems.push(`${index}: calls before it have no output`);
        open = [];
      }
      isAnswered = false;
      const call = CALLS.get(type);
      if (call !== undefined)
        open.push({ id: String(field(item, call.idKey)), output: call.output });
    }
    const next = items[index + 1];
    if (type === "reasoning" && (next === undefined || !isAnswerKind(next, kindOf(next)))) {
      problems.push(`${index}: a thought that led to nothing`);
    }
    problems.push(...contentProblems(item, type).map((problem) => `${index}: ${problem}`));
  }
  return isAnswered && open.length > 0
    ? [...problems, "at the end: calls without output"]
    : problems;
}

interface OpenCall {
  readonly id: string;
  readonly output: string;
}

const CALLS: ReadonlyMap<string, { readonly idKey: string; readonly output: string }> = new Map([
  ["function_call", { idKey: "call_id", output: "function_call_output" }],
  ["custom_tool_call", { idKey: "call_id", output: "custom_tool_call_output" }],
  ["computer_call", { idKey: "call_id", output: "computer_call_output" }],
  ["local_shell_call", { idKey: "call_id", output: "local_shell_call_output" }],
  ["shell_call", { idKey: "call_id", output: "shell_call_output" }],
  ["apply_patch_call", { idKey: "call_id", output: "apply_patch_call_output" }],
  ["tool_search_call", { idKey: "call_id", output: "tool_search_output" }],
  ["mcp_approval_request", { idKey: "id", output: "mcp_approval_response" }],
]);

const OUTPUTS: ReadonlyMap<string, { readonly idKey: string }> = new Map([
  ["function_call_output", { idKey: "call_id" }],
  ["custom_tool_call_output", { idKey: "call_id" }],
  ["computer_call_output", { idKey: "call_id" }],
  ["local_shell_call_output", { idKey: "id" }],
  ["shell_call_output", { idKey: "call_id" }],
  ["apply_patch_call_output", { idKey: "call_id" }],
  ["tool_search_output", { idKey: "call_id" }],
  ["mcp_approval_response", { idKey: "approval_request_id" }],
]);

const INPUT_KINDS = new Set(["configuration_update", "additional_tools", "compaction_trigger"]);

function kindOf(item: object): string {
  const said = field(item, "type");
  const type = typeof said === "string" ? said : "message";
  // The provider answers its own search for tools.
  const isServers = type.startsWith("tool_search") && (field(item, "call_id") ?? null) === null;
  return isServers ? "server_search" : type;
}

function isAnswerKind(item: object, type: string): boolean {
  if (OUTPUTS.has(type) || INPUT_KINDS.has(type)) return false;
  return type !== "message" || field(item, "role") === "assistant";
}

function contentProblems(item: object, type: string): readonly string[] {
  switch (type) {
    case "message": {
      const role = String(field(item, "role"));
      const allowed = role === "assistant" ? ["output_text", "refusal"] : MESSAGE_PARTS.get(role);
      if (allowed === undefined) return ["no role"];
      return isContent(field(item, "content"), allowed) ? [] : [`content no ${role} message has`];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return isContent(field(item, "output"), RESULT_PARTS) ? [] : ["an output of the wrong kind"];
    case "local_shell_call_output":
      return typeof field(item, "output") === "string" ? [] : ["an output that is no text"];
    case "computer_call_output":
      return isFilled(field(item, "output"), "computer_screenshot") ? [] : ["no screenshot"];
    case "shell_call_output":
      return isShellOutput(field(item, "output")) ? [] : ["no output of a shell"];
    case "apply_patch_call_output":
      return ["completed", "failed"].includes(String(field(item, "status"))) ? [] : ["no status"];
    case "mcp_approval_response":
      return typeof field(item, "approve") === "boolean" ? [] : ["neither yes nor no"];
    case "function_call":
      return typeof field(item, "arguments") === "string" ? [] : ["no arguments"];
    case "custom_tool_call":
      return typeof field(item, "input") === "string" ? [] : ["no input"];
    default:
      return [];
  }
}

const RESULT_PARTS = ["input_text", "input_image", "input_file"];

const MESSAGE_PARTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["system", ["input_text"]],
  ["developer", ["input_text"]],
  ["user", [...RESULT_PARTS, "input_audio"]],
]);

function isContent(content: unknown, allowed: readonly string[]): boolean {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => {
      const type = String(field(part, "type"));
      return allowed.includes(type) && isFilled(part, type);
    })
  );
}

function isFilled(part: unknown, type: string): boolean {
  if (field(part, "type") !== type) return false;
  switch (type) {
    case "input_text":
    case "output_text":
      return typeof field(part, "text") === "string";
    case "refusal":
      return typeof field(part, "refusal") === "string";
    case "input_image":
    case "computer_screenshot":
      return typeof (field(part, "image_url") ?? field(part, "file_id")) === "string";
    case "input_audio":
      return typeof field(field(part, "input_audio"), "data") === "string";
    default:
      return (
        typeof (field(part, "file_id") ?? field(part, "file_url")) === "string" ||
        (typeof field(part, "file_data") === "string" &&
          typeof field(part, "filename") === "string")
      );
  }
}

function isShellOutput(output: unknown): boolean {
  return (
    Array.isArray(output) &&
    output.every((chunk: unknown) => {
      const { stdout, stderr, outcome } = { ...(typeof chunk === "object" ? chunk : {}) } as {
        stdout?: unknown;
        stderr?: unknown;
        outcome?: unknown;
      };
      const ended = field(outcome, "type");
      return (
        typeof stdout === "string" &&
        typeof stderr === "string" &&
        (ended === "timeout" || (ended === "exit" && Number.isInteger(field(outcome, "exit_code"))))
      );
    })
  );
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
