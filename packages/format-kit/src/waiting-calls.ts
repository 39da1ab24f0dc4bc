import { sameJson } from "@agent-history/core";
import type { ToolCall } from "@agent-history/core";

/** A call, and the key by which its result will name it. */
export interface KeyedCall {
  readonly key: string;
  readonly call: ToolCall;
}

/** Remembers calls, so that a result finds the call that it answers. */
export interface WaitingCalls {
  /** Adds the calls of one answer, in order. */
  readonly add: (calls: readonly KeyedCall[]) => void;
  /** Returns the call that a result of this key answers: the first of the newest answer that has one. */
  readonly answer: (key: string) => ToolCall | undefined;
  /** Returns the call that a result of this key would answer, after this many other results of it. Default 0. */
  readonly find: (key: string, answered?: number) => ToolCall | undefined;
}

/** Begins with no call. A call that was answered still gives its name to another result of its id. */
export function waitingCalls(): WaitingCalls {
  const byKey = new Map<string, ToolCall[]>();
  return {
    add: (calls) => {
      for (const { key, call } of calls.toReversed()) {
        const waiting = byKey.get(key);
        if (waiting === undefined) byKey.set(key, [call]);
        else waiting.push(call);
      }
    },
    answer: (key) => {
      const waiting = byKey.get(key) ?? [];
      return waiting.length > 1 ? waiting.pop() : waiting[0];
    },
    find: (key, answered = 0) => {
      const waiting = byKey.get(key) ?? [];
      return waiting[Math.max(0, waiting.length - 1 - answered)];
    },
  };
}

/** What reading a message asked of the calls before it, and what it added to them. */
export interface CallNotes {
  readonly asked: readonly AskedCall[];
  readonly added: readonly (readonly KeyedCall[])[];
  /** Whether it asked after it had added: then the answer is not of the messages before alone. */
  readonly isMixed: boolean;
}

interface AskedCall {
  readonly key: string;
  readonly isAnswer: boolean;
  /** After how many other results of its key. */
  readonly answered: number;
  readonly got: ToolCall | undefined;
}

/** Returns waiting calls that note what is done with them. */
export function notingCalls(waiting: WaitingCalls): {
  readonly noting: WaitingCalls;
  readonly notes: CallNotes;
} {
  const asked: AskedCall[] = [];
  const added: (readonly KeyedCall[])[] = [];
  const answers = new Map<string, number>();
  const notes = { asked, added, isMixed: false };
  const note = (key: string, isAnswer: boolean, after: number, got: ToolCall | undefined) => {
    const before = answers.get(key) ?? 0;
    if (isAnswer) answers.set(key, before + 1);
    asked.push({ key, isAnswer, answered: before + after, got });
    notes.isMixed ||= added.length > 0;
    return got;
  };
  const noting: WaitingCalls = {
    add: (calls) => {
      if (calls.length > 0) added.push(calls);
      waiting.add(calls);
    },
    answer: (key) => note(key, true, 0, waiting.answer(key)),
    find: (key, answered = 0) => note(key, false, answered, waiting.find(key, answered)),
  };
  return { noting, notes };
}

/** Does with the waiting calls what reading the message did. If they do not answer as they did then, changes nothing and returns `false`. */
export function repeatCalls({ asked, added, isMixed }: CallNotes, waiting: WaitingCalls): boolean {
  if (isMixed) return false;
  for (const { key, answered, got } of asked) {
    const now = waiting.find(key, answered);
    if (now !== got && !sameJson(now, got)) return false;
  }
  for (const { key, isAnswer } of asked) if (isAnswer) waiting.answer(key);
  for (const calls of added) waiting.add(calls);
  return true;
}
