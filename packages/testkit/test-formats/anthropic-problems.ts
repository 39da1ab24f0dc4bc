import type { JsonValue } from "@agent-history/core";
import { isJsonObject, textOf, toJson } from "@agent-history/format-kit";

/**
 * Finds what Anthropic refuses, by its documentation (Tool use, Implement tool use): each `tool_use` of an answer needs its
 * `tool_result` at the beginning of the next user message, and a result answers a call of the answer before it. The last calls may still run.
 */
export function anthropicProblems(messages: readonly object[]): readonly string[] {
  const problems: string[] = [];
  let open: readonly JsonValue[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = asObject(toJson(message));
    const blocks = Array.isArray(content) ? content.map(asObject) : [];
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (!["system", "user", "assistant"].includes(textOf(role) ?? ""))
      problems.push(`${index}: role`);
    if (role !== "user" && results.length > 0) problems.push(`${index}: results of no user`);
    let left = open;
    for (const { tool_use_id: id = null } of results) {
      const place = left.indexOf(id);
      if (place < 0) problems.push(`${index}: a result of no call`);
      else left = left.toSpliced(place, 1);
    }
    if (left.length > 0) problems.push(`${index}: calls before it have no result`);
    const calls = blocks.filter(({ type }) => type === "tool_use");
    if (role !== "assistant" && calls.length > 0) problems.push(`${index}: calls of no assistant`);
    open = calls.map(({ id = null }) => id);
  }
  return problems;
}

function asObject(value: JsonValue): { readonly [key: string]: JsonValue } {
  return isJsonObject(value) ? value : {};
}
