import { addDoubled, collectProblems } from "./internal/collect-problems.ts";
import { fieldOf, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/**
 * Finds what OpenAI's chat completions refuse. Linear.
 *
 * - `no-message`, `unknown-role`
 * - `empty-content`: neither content nor calls, or a list without a part
 * - `empty-calls`: a list of calls without a call; `missing-call-id`, `duplicate-call-id` in one message
 * - `unanswered-call`: each call is answered by tool messages directly after it, before anybody else speaks
 * - `orphan-result`: each tool message answers a call of the assistant's message before it
 *
 * Rules: https://developers.openai.com/api/docs/guides/function-calling and
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function openaiChatProblems(messages: readonly object[]): readonly ProviderProblem[] {
  const problems = collectProblems(messages);
  const { found, add } = problems;
  let open: string[] = [];
  let asking = 0;
  for (const [index, message] of messages.entries()) {
    const role = textAt(message, "role");
    if (!ROLES.has(role)) add("unknown-role", index);
    if (role === "tool") {
      const entryIndex = open.indexOf(textAt(message, "tool_call_id"));
      if (entryIndex < 0) add("orphan-result", index);
      else open.splice(entryIndex, 1);
    } else if (open.length > 0) {
      add("unanswered-call", asking);
      open = [];
    }
    const calls = listAt(message, "tool_calls");
    if (fieldOf(message, "tool_calls") !== undefined && calls.length === 0)
      add("empty-calls", index);
    const hasCalls = calls.length > 0 || (fieldOf(message, "function_call") ?? null) !== null;
    if (!hasCalls && !hasContent(message)) add("empty-content", index);
    if (role !== "assistant") continue;
    const ids = calls.map((call) => textAt(call, "id"));
    if (ids.includes("")) add("missing-call-id", index);
    addDoubled(ids, index, problems);
    [open, asking] = [ids, index];
  }
  if (open.length > 0) add("unanswered-call", asking);
  return found;
}

/** A text, empty or not, a refusal, a recorded voice, or at least one part. */
function hasContent(message: object): boolean {
  const content = fieldOf(message, "content");
  if (typeof content === "string") return true;
  if (listAt(message, "content").length > 0) return true;
  return ["refusal", "audio"].some((key) => (fieldOf(message, key) ?? null) !== null);
}
