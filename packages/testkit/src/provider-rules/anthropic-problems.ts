import { checkEnds, checkTurns, joinTurns } from "./internal/check-turns.ts";
import type { TurnMessage } from "./internal/check-turns.ts";
import { collectProblems } from "./internal/collect-problems.ts";
import type { Problems } from "./internal/collect-problems.ts";
import { fieldOf, isBlank, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/**
 * Finds what Anthropic's Messages API refuses; system text is a parameter of its own there. Linear.
 *
 * - `no-message`, `unknown-role`
 * - `first-not-user`, `last-not-user`: models without prefill refuse to continue an assistant's message
 * - `empty-content`: no block, or a blank text
 * - `unanswered-call`: each `tool_use` has its `tool_result` in the next message; each call of a server (`server_tool_use`, `mcp_tool_use`) has its result
 *   in an answer before the user says more than results
 * - `orphan-result`: each `tool_result` answers a `tool_use` of the message before, each result of a server a call of a server before it
 * - `results-not-first`: results stand before everything else in their message
 * - `duplicate-call-id`: in one message
 *
 * Messages of one role in a row are one turn to the API, and are judged as one.
 *
 * Rules: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls and
 * https://platform.claude.com/docs/en/build-with-claude/working-with-messages
 */
export function anthropicProblems(messages: readonly object[]): readonly ProviderProblem[] {
  const problems = collectProblems(messages);
  const { found, add } = problems;
  const turns: TurnMessage[] = [];
  const servers = serverCalls(problems);
  let hasOther = false;
  for (const [index, message] of messages.entries()) {
    const role = textAt(message, "role");
    if (role !== "user" && role !== "assistant") add("unknown-role", index);
    const content = fieldOf(message, "content");
    const blocks =
      typeof content === "string" ? [{ type: "text", text: content }] : listAt(message, "content");
    if (blocks.length === 0 || blocks.some(isBlankText)) add("empty-content", index);
    if (turns.at(-1)?.role !== role) hasOther = false;
    for (const block of blocks) {
      const isResult = textAt(block, "type") === "tool_result";
      if (isResult && hasOther) add("results-not-first", index);
      hasOther ||= !isResult;
    }
    servers.read(blocks, { index, role });
    const calls = idsOf(blocks, "tool_use", "id");
    turns.push({ index, role, calls, results: idsOf(blocks, "tool_result", "tool_use_id") });
  }
  const joined = joinTurns(turns);
  checkEnds(joined, problems);
  checkTurns(joined, problems);
  return found;
}

/** Follows what servers were called for, and gave. */
function serverCalls({ add }: Pick<Problems, "add">): {
  readonly read: (
    blocks: readonly unknown[],
    at: { readonly index: number; readonly role: string },
  ) => void;
} {
  const open = new Set<string>();
  return {
    read: (blocks, { index, role }) => {
      for (const block of blocks) {
        const type = textAt(block, "type");
        if (role === "user" && type !== "tool_result" && open.size > 0) {
          add("unanswered-call", index);
          open.clear();
        }
        if (type === "server_tool_use" || type === "mcp_tool_use") open.add(textAt(block, "id"));
        const isServers = type.endsWith("_tool_result") && type !== "tool_result";
        if (isServers && !open.delete(textAt(block, "tool_use_id"))) add("orphan-result", index);
      }
    },
  };
}

function isBlankText(block: unknown): boolean {
  return textAt(block, "type") === "text" && isBlank(textAt(block, "text"));
}

function idsOf(blocks: readonly unknown[], type: string, key: string): readonly string[] {
  return blocks.flatMap((block) => (textAt(block, "type") === type ? [textAt(block, key)] : []));
}
