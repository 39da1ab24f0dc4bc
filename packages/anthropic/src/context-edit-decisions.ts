import { overReadable } from "@agent-history/core";
import type { Decision, HistoryEntry, JsonObject, ObservationEntry } from "@agent-history/core";
import { isJsonObject, nameOf, toJson } from "@agent-history/format-kit";

/** Settings of the request's context edits. */
export interface ContextEditOptions {
  /** The `exclude_tools` of the request's edit. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
}

/**
 * Converts the `context_management` edits in a response to plan decisions, to explain what the model saw: which results Anthropic cleared, and from which answers it cleared thinking. The API reports only how
 * many, oldest first, and their tokens in total: each decision gets an equal share, marked as an estimate. Unknown kinds of edits are ignored. Linear.
 *
 * @param answer - The API's response, with `context_management.applied_edits`.
 * @param entries - The entries that were sent.
 *
 * @example
 * ```ts
 * import { contextEditDecisions, fromAnthropicMessages } from "@agent-history/anthropic";
 *
 * const entries = fromAnthropicMessages([
 *   { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "find", input: {} }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "Two." }] },
 * ]);
 * const edit = { type: "clear_tool_uses_20250919", cleared_tool_uses: 1, cleared_input_tokens: 9 };
 * const answer = { context_management: { applied_edits: [edit] } };
 * contextEditDecisions(answer, entries).map(({ reason, tokensBefore }) => [reason, tokensBefore]);
 * // => [["result cleared by Anthropic", 9]]
 * ```
 */
export function contextEditDecisions(
  answer: object,
  entries: readonly HistoryEntry[],
  { excludeTools = [] }: ContextEditOptions = {},
): readonly Decision[] {
  const wire = toJson(answer);
  const management = isJsonObject(wire) ? wire["context_management"] : undefined;
  const edits = isJsonObject(management) ? management["applied_edits"] : undefined;
  if (!Array.isArray(edits)) return [];
  const applied = edits.map((edit: unknown) => toJson(edit)).filter((edit) => isJsonObject(edit));
  return overReadable(entries, (readable) =>
    applied.flatMap((edit) => decisionsOf(edit, readable, excludeTools)),
  );
}

function decisionsOf(
  edit: JsonObject,
  entries: readonly HistoryEntry[],
  excludeTools: readonly string[],
): readonly Decision[] {
  const step = nameOf(edit["type"]) ?? "";
  const tokens = countOf(edit["cleared_input_tokens"]);
  if (step.startsWith("clear_tool_uses_")) {
    const isCleared = (entry: HistoryEntry): entry is ObservationEntry =>
      entry.type === "observation" && !excludeTools.includes(entry.toolName);
    const cleared = entries.filter(isCleared).slice(0, countOf(edit["cleared_tool_uses"]));
    return shared(cleared, tokens).map((share) => ({
      ...share,
      action: { kind: "edit", edit: { clear: true } },
      step,
      reason: "result cleared by Anthropic",
    }));
  }
  if (!step.startsWith("clear_thinking_")) return [];
  const cleared = entries.filter(hasThinking).slice(0, countOf(edit["cleared_thinking_turns"]));
  // Only the thinking was cleared; the rest of the entry was kept.
  return shared(cleared, tokens).map((share) => ({
    ...share,
    action: { kind: "keep" },
    step,
    reason: "thinking cleared by Anthropic",
  }));
}

type Share = Pick<
  Decision,
  "from" | "to" | "entryCount" | "tokensBefore" | "tokensAfter" | "estimated"
>;

function shared(entries: readonly HistoryEntry[], tokens: number): readonly Share[] {
  const each = Math.floor(tokens / Math.max(1, entries.length));
  return entries.map(({ id }, index) => {
    const rest = index === 0 ? tokens - each * entries.length : 0;
    return {
      from: id,
      to: id,
      entryCount: 1,
      tokensBefore: each + rest,
      tokensAfter: 0,
      estimated: true,
    };
  });
}

function hasThinking({ content }: HistoryEntry): boolean {
  return Array.isArray(content) && content.some((part: unknown) => isReasoning(part));
}

function isReasoning(part: unknown): boolean {
  return typeof part === "object" && part !== null && "type" in part && part.type === "reasoning";
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}
