import { HistoryError } from "@agent-history/core";

import type { Answer, Fetch, StoreProgram } from "./store-program.ts";

type AnswerOf<Kind extends Answer["kind"]> = Extract<Answer, { readonly kind: Kind }>;

/** Asks for one round, and gives its answers back. */
export function* fetchRound(round: readonly Fetch[]): StoreProgram<readonly Answer[]> {
  const answers = yield round;
  if (answers.length === round.length) return answers;
  throw unexpected(`${round.length} answers`, `${answers.length}`);
}

/** Takes an answer for what it must be. */
export function answered<Kind extends Answer["kind"]>(
  kind: Kind,
  answer: Answer | undefined,
): AnswerOf<Kind> {
  if (isOfKind(kind, answer)) return answer;
  throw unexpected(`an answer of the kind \`${kind}\``, answer?.kind ?? "none");
}

function isOfKind<Kind extends Answer["kind"]>(
  kind: Kind,
  answer: Answer | undefined,
): answer is AnswerOf<Kind> {
  return answer?.kind === kind;
}

function unexpected(expected: string, actual: string): HistoryError {
  return new HistoryError(`Expected the driver of a store to return ${expected}, got ${actual}.`, {
    code: "INVALID_OPTION",
    details: { option: "answer" },
  });
}
