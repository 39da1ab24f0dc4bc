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
 * - `system-misplaced`: a system message with content directly follows a user's message, or an answer that ends with a call of a server, and stands last or
 *   before an answer; one that only sets `output_config` may stand anywhere
 * - `compaction-misplaced`: a signed `compaction` block is the first block, and the only one
 *
 * Messages of one role in a row are one turn to the API, and are judged as one. A compaction may stand first in an assistant's message.
 *
 * Rules: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
 * https://platform.claude.com/docs/en/build-with-claude/working-with-messages,
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages and
 * https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
 */
export function anthropicProblems(messages: readonly object[]): readonly ProviderProblem[] {
  const problems = collectProblems(messages);
  const { found, add } = problems;
  const turns: TurnMessage[] = [];
  const servers = serverCalls(problems);
  let hasOther = false;
  for (const [index, message] of messages.entries()) {
    const role = textAt(message, "role");
    if (role === "system") {
      if (!mayStand(messages, index)) add("system-misplaced", index);
      continue;
    }
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
      const isFirst = index === 0 && block === blocks[0];
      const isSigned = isCompaction(block) && textAt(block, "signature") !== "";
      if (isSigned && !isFirst) add("compaction-misplaced", index);
    }
    servers.read(blocks, { index, role });
    const calls = idsOf(blocks, "tool_use", "id");
    turns.push({ index, role, calls, results: idsOf(blocks, "tool_result", "tool_use_id") });
  }
  const joined = joinTurns(turns);
  const begins = listAt(messages[0], "content")[0];
  // What a compaction stands for began with a user.
  checkEnds(isCompaction(begins) ? [BEGUN, ...joined] : joined, problems);
  checkTurns(joined, problems);
  return found;
}

const BEGUN: TurnMessage = { index: 0, role: "user", calls: [], results: [] };

/** A compaction without content failed, and the API reads past it. */
function isCompaction(block: unknown): boolean {
  return textAt(block, "type") === "compaction" && textAt(block, "content") !== "";
}

/** Returns whether a system message may stand at its place. */
function mayStand(messages: readonly object[], index: number): boolean {
  const [before, message, after] = [messages[index - 1], messages[index], messages[index + 1]];
  const isText = typeof fieldOf(message, "content") === "string";
  const isDirective = !isText && listAt(message, "content").length === 0;
  if (isDirective && fieldOf(message, "output_config") !== undefined) return true;
  const follows = textAt(before, "role");
  const isWaiting = SERVER_CALLS.has(textAt(listAt(before, "content").at(-1), "type"));
  const isAnswered = after === undefined || textAt(after, "role") === "assistant";
  return isAnswered && (follows === "user" || (follows === "assistant" && isWaiting));
}

const SERVER_CALLS = new Set(["server_tool_use", "mcp_tool_use"]);

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
        if (SERVER_CALLS.has(type)) open.add(textAt(block, "id"));
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
