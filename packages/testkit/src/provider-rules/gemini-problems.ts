import { checkAlternation, checkEnds } from "./internal/check-turns.ts";
import type { TurnMessage } from "./internal/check-turns.ts";
import { collectProblems } from "./internal/collect-problems.ts";
import { fieldOf, listAt, textAt } from "./internal/read-field.ts";
import type { ProviderProblem } from "./provider-problem.ts";

/**
 * Finds what Gemini's `generateContent` refuses in its contents; instructions are a parameter of their own there. Linear.
 *
 * - `no-message`, `unknown-role` (`user`, `model` or `function`)
 * - `first-not-user`, `last-not-user`, `not-alternating`; a function's response speaks for the user
 * - `empty-content`: a content without a part
 * - `call-without-user`: a function call comes directly after a user's content or a function response
 * - `orphan-result`: function responses come directly after the calls, which carry their names
 * - `unanswered-call`: there are as many responses as calls
 *
 * Rules: https://ai.google.dev/gemini-api/docs/function-calling and
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function geminiProblems(contents: readonly object[]): readonly ProviderProblem[] {
  const problems = collectProblems(contents);
  const { found, add } = problems;
  const turns = contents.map((content, index): TurnMessage => {
    const role = textAt(content, "role");
    if (!["user", "model", "function"].includes(role)) add("unknown-role", index);
    const parts = listAt(content, "parts");
    if (parts.length === 0) add("empty-content", index);
    const calls = namesOf(parts, "functionCall");
    const results = namesOf(parts, "functionResponse");
    return { index, role: role === "function" ? "user" : role, calls, results };
  });
  checkEnds(turns, problems);
  checkAlternation(turns, problems);
  for (const [entryIndex, { index, calls, results }] of turns.entries()) {
    const [before, after] = [turns[entryIndex - 1], turns[entryIndex + 1]];
    if (calls.length > 0 && before?.role !== "user") add("call-without-user", index);
    if (calls.length > 0 && after?.results.length !== calls.length) add("unanswered-call", index);
    if (results.some((name) => before?.calls.includes(name) !== true)) add("orphan-result", index);
  }
  return found;
}

function namesOf(parts: readonly unknown[], key: string): readonly string[] {
  return parts.flatMap((part) => {
    const value = fieldOf(part, key);
    return value === undefined ? [] : [textAt(value, "name")];
  });
}
