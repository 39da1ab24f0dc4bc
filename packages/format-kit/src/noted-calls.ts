import { sameJson } from "@agent-history/core";
import type { ToolCall } from "@agent-history/core";

import type { KeyedCall, WaitingCalls } from "./waiting-calls.ts";

/** What reading a message asked of the calls of the messages before, and what it added to them. */
export interface NotedCalls {
  readonly asked: readonly AskedCall[];
  readonly added: readonly (readonly KeyedCall[])[];
  /** Whether it asked again after it had added: what it then got is not only the messages' before. */
  readonly isMixed: boolean;
}

interface AskedCall {
  readonly key: string;
  /** Behind how many other results of its key. */
  readonly answered: number;
  readonly isAnswer: boolean;
  readonly got: ToolCall | undefined;
}

/** Gives the waiting calls to read a message with, and what reading it did with them. */
export function noteCalls(waiting: WaitingCalls): {
  readonly waiting: WaitingCalls;
  readonly noted: NotedCalls;
} {
  const asked: AskedCall[] = [];
  const added: (readonly KeyedCall[])[] = [];
  const noted = { asked, added, isMixed: false };
  const answers = new Map<string, number>();
  const note = (one: Omit<AskedCall, "answered">, behind = 0): ToolCall | undefined => {
    const answered = answers.get(one.key) ?? 0;
    if (one.isAnswer) answers.set(one.key, answered + 1);
    asked.push({ ...one, answered: answered + behind });
    noted.isMixed ||= added.length > 0;
    return one.got;
  };
  return {
    noted,
    waiting: {
      add: (calls) => {
        if (calls.length === 0) return;
        added.push(calls);
        waiting.add(calls);
      },
      answer: (key) => note({ key, isAnswer: true, got: waiting.answer(key) }),
      find: (key, behind) => note({ key, isAnswer: false, got: waiting.find(key, behind) }, behind),
    },
  };
}

/**
 * Does with the waiting calls what reading the message did. Where the messages before do not give what they gave then, it changes
 * nothing and gives `false`.
 */
export function repeatCalls({ asked, added, isMixed }: NotedCalls, waiting: WaitingCalls): boolean {
  if (isMixed) return false;
  for (const { key, answered, got } of asked) {
    const now = waiting.find(key, answered);
    if (now !== got && !sameJson(now, got)) return false;
  }
  for (const { key, isAnswer } of asked) if (isAnswer) waiting.answer(key);
  for (const calls of added) waiting.add(calls);
  return true;
}
