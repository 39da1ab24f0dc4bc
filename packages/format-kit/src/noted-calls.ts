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

/** One question, and its answer. */
export interface AskedCall {
  readonly key: string;
  /** Behind how many other results of its key. */
  readonly answered: number;
  readonly isAnswer: boolean;
  readonly got: ToolCall | undefined;
}

/** Waiting calls that note what is done with them. */
export interface NotingCalls {
  readonly waiting: WaitingCalls;
  /** Returns what was noted since it was last asked. */
  readonly takeNotes: () => NotedCalls;
}

/** What most messages do. */
const NOTHING: NotedCalls = { asked: [], added: [], isMixed: false };

/** Returns the waiting calls to read messages with, and what reading each did with them. */
export function notingCalls(waiting: WaitingCalls): NotingCalls {
  let notes: Notes | undefined;
  const note = (one: Omit<AskedCall, "answered">, behind = 0): ToolCall | undefined => {
    notes ??= newNotes();
    const { asked, added, answers } = notes;
    const answered = answers.get(one.key) ?? 0;
    if (one.isAnswer) answers.set(one.key, answered + 1);
    asked.push({ ...one, answered: answered + behind });
    notes.isMixed ||= added.length > 0;
    return one.got;
  };
  return {
    takeNotes: () => {
      if (notes === undefined) return NOTHING;
      const { asked, added, isMixed } = notes;
      notes = undefined;
      return { asked, added, isMixed };
    },
    waiting: {
      add: (calls) => {
        if (calls.length === 0) return;
        notes ??= newNotes();
        notes.added.push(calls);
        waiting.add(calls);
      },
      answer: (key) => note({ key, isAnswer: true, got: waiting.answer(key) }),
      find: (key, behind) => note({ key, isAnswer: false, got: waiting.find(key, behind) }, behind),
    },
  };
}

interface Notes {
  readonly asked: AskedCall[];
  readonly added: (readonly KeyedCall[])[];
  /** How many results of a key the message had. */
  readonly answers: Map<string, number>;
  isMixed: boolean;
}

function newNotes(): Notes {
  return { asked: [], added: [], answers: new Map(), isMixed: false };
}

/**
 * Does with the waiting calls what reading the message did. Where the messages before do not give what they gave then, it changes
 * nothing and gives `false`.
 */
export function repeatCalls({ asked, added, isMixed }: NotedCalls, waiting: WaitingCalls): boolean {
  if (asked.length + added.length === 0) return true;
  if (isMixed) return false;
  for (const { key, answered, got } of asked) {
    const now = waiting.find(key, answered);
    if (now !== got && !sameJson(now, got)) return false;
  }
  for (const { key, isAnswer } of asked) if (isAnswer) waiting.answer(key);
  for (const calls of added) waiting.add(calls);
  return true;
}
