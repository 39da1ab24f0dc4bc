import type { ChatMessage } from "../messages/chat-message.ts";
import { matchMessages, mayBe } from "./match-messages.ts";

/** What a request can lose of the conversation though each message of it is sound. */
export type TurnViolationKind =
  | "beginsWithAssistant"
  | "questionWithoutAnswer"
  | "answerWithoutQuestion"
  | "newestLost"
  | "empty";

/**
 * Finds what tears turns apart: a request that begins with an answer though the conversation begins with a question, a
 * question shown without the last answer to it or the answer without the question, the newest message lost, nothing left at all.
 */
export function turnViolations(
  request: readonly ChatMessage[],
  conversation: readonly ChatMessage[],
): readonly TurnViolationKind[] {
  const found: TurnViolationKind[] = [];
  const [first, begun] = [request, conversation].map((messages) =>
    messages.find(({ role }) => role !== "system"),
  );
  if (first === undefined) return begun === undefined ? [] : ["empty"];
  if (first.role !== "user" && begun?.role === "user") found.push("beginsWithAssistant");
  const shown = matchMessages(request, conversation);
  for (const { questions, answer } of finishedTurns(conversation)) {
    if (answer === undefined) continue;
    const isAsked = questions.some((index) => shown.has(index));
    if (isAsked === shown.has(answer)) continue;
    // A text that occurs more than once may be either: only what stands nowhere is gone, only what can be nothing else is there.
    const [there, missing] = isAsked ? [questions, [answer]] : [[answer], questions];
    const isTorn = missing.every((index) => !appears(index)) && there.some(isOneOfAKind);
    if (isTorn) found.push(isAsked ? "questionWithoutAnswer" : "answerWithoutQuestion");
  }
  if (!shown.has(conversation.length - 1)) found.push("newestLost");
  return found;

  function appears(index: number): boolean {
    const message = conversation[index];
    return message !== undefined && request.some((one) => mayBe(one, message));
  }

  function isOneOfAKind(index: number): boolean {
    return request.some((one) => {
      const indexes = conversation.flatMap((message, at) => (mayBe(one, message) ? [at] : []));
      return indexes.length === 1 && indexes[0] === index;
    });
  }
}

interface FinishedTurn {
  readonly questions: readonly number[];
  /** The index of the last message without calls that the assistant said. */
  readonly answer: number | undefined;
}

/** All turns but the one that is being answered. Questions in a row belong to one. */
function finishedTurns(conversation: readonly ChatMessage[]): readonly FinishedTurn[] {
  const turns: { questions: number[]; answer: number | undefined }[] = [];
  for (const [index, message] of conversation.entries()) {
    const isInRow = conversation[index - 1]?.role === "user";
    if (message.role === "user" && !isInRow) turns.push({ questions: [], answer: undefined });
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    if (message.role === "user") turn.questions.push(index);
    if (message.role === "assistant" && message.tool_calls === undefined) turn.answer = index;
  }
  return turns.slice(0, -1);
}
