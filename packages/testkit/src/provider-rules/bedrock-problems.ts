import { checkAlternation, checkEnds, checkTurns } from "./internal/check-turns.ts";
import type { TurnMessage } from "./internal/check-turns.ts";
import { collectProblems } from "./internal/collect-problems.ts";
import { fieldOf, isBlank, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/**
 * Finds what Amazon Bedrock's Converse API refuses; system text is a parameter of its own there. Linear.
 *
 * - `no-message`, `unknown-role`
 * - `first-not-user`, `last-not-user`, `not-alternating`
 * - `empty-content`: no block, or a blank text
 * - `unanswered-call`, `orphan-result`: the results of a message's calls stand in the next message, and no others
 * - `duplicate-call-id`: in one message
 *
 * Rules: https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
export function bedrockProblems(messages: readonly object[]): readonly ProviderProblem[] {
  const problems = collectProblems(messages);
  const { found, add } = problems;
  const turns = messages.map((message, index): TurnMessage => {
    const role = textAt(message, "role");
    if (role !== "user" && role !== "assistant") add("unknown-role", index);
    const blocks = listAt(message, "content");
    if (blocks.length === 0 || blocks.some(isBlankText)) add("empty-content", index);
    const calls = idsOf(blocks, "toolUse");
    return { index, role, calls, results: idsOf(blocks, "toolResult") };
  });
  checkEnds(turns, problems);
  checkAlternation(turns, problems);
  checkTurns(turns, problems);
  return found;
}

function isBlankText(block: unknown): boolean {
  const text = fieldOf(block, "text");
  return typeof text === "string" && isBlank(text);
}

function idsOf(blocks: readonly unknown[], key: string): readonly string[] {
  return blocks.flatMap((block) => {
    const value = fieldOf(block, key);
    return value === undefined ? [] : [textAt(value, "toolUseId")];
  });
}
