import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/**
 * Finds what Anthropic and OpenAI refuse in a prompt, by their documentation and without our own code: a call that is not
 * answered directly after its message, a result of no such call or of another tool, a tool's message without a result, an
 * answer that ends with a thought or says nothing, what a tool of the provider's gave to no call before it. Ids are as they came: recordings have
 * one twice in an answer.
 */
export function promptProblems(prompt: LanguageModelV4Prompt): readonly string[] {
  const problems: string[] = [];
  const runs = new Set<string>();
  let open: readonly Call[] = [];
  let at = 0;
  for (const message of prompt) {
    const location = `${at}: `;
    at += 1;
    if (message.role === "tool") {
      const { left, found } = answer(message, open);
      problems.push(...found.map((problem) => `${location}${problem}`));
      open = left;
    } else {
      if (open.length > 0) problems.push(`${location}calls before it have no result`);
      open = callsOf(message);
      const lost = unasked(message, runs).map(
        (id) => `${location}a result of ${id}, which is no call`,
      );
      problems.push(...lost);
      problems.push(...answerProblems(message).map((problem) => `${location}${problem}`));
    }
  }
  return open.length === 0 ? problems : [...problems, "at the end: calls have no result"];
}

function answer(
  message: LanguageModelV4Message,
  open: readonly Call[],
): { readonly left: readonly Call[]; readonly found: readonly string[] } {
  const found = message.content.length === 0 ? ["a tool's message without results"] : [];
  const left = [...open];
  for (const { id, name } of resultsOf(message)) {
    const index = left.findIndex((one) => one.id === id);
    const [call] = index < 0 ? [] : left.splice(index, 1);
    if (call === undefined) found.push("a result of no call");
    else if (call.name !== name) found.push("a result of another tool");
  }
  return { left, found };
}

interface Call {
  readonly id: string;
  readonly name: string;
}

function callsOf(message: LanguageModelV4Message): readonly Call[] {
  if (message.role !== "assistant") return [];
  const ran = new Set(
    message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])),
  );
  return message.content.flatMap((part) =>
    part.type === "tool-call" && part.providerExecuted !== true && !ran.has(part.toolCallId)
      ? [{ id: part.toolCallId, name: part.toolName }]
      : [],
  );
}

/** Finds results in an answer to which no call is known, there or before. */
function unasked(message: LanguageModelV4Message, asked: Set<string>): readonly string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => {
    if (part.type === "tool-call") asked.add(part.toolCallId);
    return part.type === "tool-result" && !asked.has(part.toolCallId) ? [part.toolCallId] : [];
  });
}

function resultsOf(message: LanguageModelV4Message): readonly Call[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-result" ? [{ id: part.toolCallId, name: part.toolName }] : [],
  );
}

function answerProblems(message: LanguageModelV4Message): readonly string[] {
  if (message.role !== "assistant") return [];
  const last = message.content.at(-1);
  if (last === undefined) return ["an answer that says nothing"];
  return last.type === "reasoning" ? ["an answer that ends with a thought"] : [];
}
