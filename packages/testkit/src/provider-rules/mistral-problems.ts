import { collectProblems } from "./internal/collect-problems.ts";
import { fieldOf, isBlank, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/**
 * Finds what Mistral refuses in messages of the chat format: its API, and the chat templates that its models are served with
 * elsewhere, which are stricter. Linear.
 *
 * - `no-message`, `unknown-role`
 * - `not-alternating`: after the system message, users and answers take turns, beginning with a user; calls and results do not count
 * - `wrong-order`: a result follows a call or a result; after a result the assistant speaks, never a user
 * - `last-not-user`: the last message is a user's or a result
 * - `unanswered-call`, `orphan-result`: as many results as calls before the assistant goes on
 * - `empty-content`: an assistant's message has text or calls
 *
 * Rules: https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py and the chat
 * template of https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3/blob/main/tokenizer_config.json
 */
export function mistralProblems(messages: readonly object[]): readonly ProviderProblem[] {
  const { found, add } = collectProblems(messages);
  let before = "system";
  let next = "user";
  let open = 0;
  for (const [index, message] of messages.entries()) {
    const role = textAt(message, "role");
    const calls = listAt(message, "tool_calls").length;
    const allowed = AFTER[before] ?? [];
    if (AFTER[role] === undefined) add("unknown-role", index);
    else if (!allowed.includes(role)) add("wrong-order", index);
    if (role === "tool" && (open -= 1) < 0) add("orphan-result", index);
    if (role === "assistant") {
      if (open > 0) add("unanswered-call", index);
      open = calls;
      if (calls === 0 && !hasText(message)) add("empty-content", index);
    }
    const counts = role === "user" || (role === "assistant" && calls === 0);
    if (counts && role !== next) add("not-alternating", index);
    if (counts) next = role === "user" ? "assistant" : "user";
    before = role;
  }
  const last = messages.length - 1;
  if (open > 0) add("unanswered-call", last);
  if (last >= 0 && before !== "user" && before !== "tool") add("last-not-user", last);
  return found;
}

/** Who may speak after whom. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ["system", "user", "assistant"],
  user: ["system", "user", "assistant"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function hasText(message: object): boolean {
  const content = fieldOf(message, "content");
  if (typeof content === "string") return !isBlank(content);
  return listAt(message, "content").some((part) => !isBlank(textAt(part, "text")));
}
