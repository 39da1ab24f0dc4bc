import { collectProblems } from "./internal/collect-problems.ts";
import { fieldOf, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/**
 * Finds what OpenAI's Responses API refuses in a list of input items that stands for itself (no `previous_response_id`). Linear.
 *
 * - `no-message`: there is no item
 * - `orphan-result`: each output answers a call before it
 * - `unanswered-call`: each call has its output
 * - `duplicate-call-id`: an id is used again while its call is open
 * - `reasoning-alone`: a reasoning item is followed by the item that it led to
 * - `empty-content`: a message has at least one part
 *
 * Rules: https://developers.openai.com/api/docs/guides/function-calling and
 * https://developers.openai.com/api/docs/guides/reasoning
 */
export function openaiResponsesProblems(items: readonly object[]): readonly ProviderProblem[] {
  const { found, add } = collectProblems(items);
  const open = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const type = textAt(item, "type") || "message";
    const id = textAt(item, "call_id");
    if (type === "message" && typeof fieldOf(item, "content") !== "string") {
      if (listAt(item, "content").length === 0) add("empty-content", index);
    }
    if (type === "reasoning" && !isLedTo(items[index + 1])) add("reasoning-alone", index);
    if (type.endsWith("_call_output") || type === "program_output") {
      if (!open.delete(id)) add("orphan-result", index);
    } else if (CALLS.has(type)) {
      if (open.has(id)) add("duplicate-call-id", index);
      open.set(id, index);
    }
  }
  for (const index of open.values()) add("unanswered-call", index);
  return found;
}

/** Calls whose result is an item of its own; what else OpenAI runs by itself holds its result. */
const CALLS = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
  "program",
]);

/** An assistant's message, a call, or more reasoning. */
function isLedTo(item: object | undefined): boolean {
  if (item === undefined) return false;
  const type = textAt(item, "type") || "message";
  if (type === "message") return textAt(item, "role") === "assistant";
  return !type.endsWith("_output");
}
