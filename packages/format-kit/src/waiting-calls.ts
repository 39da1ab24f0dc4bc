import type { ToolCall } from "@agent-history/core";

/** A call, and the key by which its result will name it. */
export interface KeyedCall {
  readonly key: string;
  readonly call: ToolCall;
}

/** Remembers calls, so that a result finds which one it answers. */
export interface WaitingCalls {
  /** Adds the calls of one answer, in order. */
  readonly add: (calls: readonly KeyedCall[]) => void;
  /** Returns the call that a result of this key answers: of the newest answer that has one, the first. */
  readonly answer: (key: string) => ToolCall | undefined;
  /** Returns the call that a result of this key would answer, behind this many other results of it. Default 0. */
  readonly find: (key: string, answered?: number) => ToolCall | undefined;
}

/** Begins with no call. A call that was answered still gives its name to another result of its id. */
export function waitingCalls(): WaitingCalls {
  const byKey = new Map<string, ToolCall[]>();
  return {
    add: (calls) => {
      for (const { key, call } of calls.toReversed()) {
        const known = byKey.get(key);
        if (known === undefined) byKey.set(key, [call]);
        else known.push(call);
      }
    },
    answer: (key) => {
      const calls = byKey.get(key) ?? [];
      return calls.length > 1 ? calls.pop() : calls[0];
    },
    find: (key, answered = 0) => {
      const calls = byKey.get(key) ?? [];
      return calls[Math.max(0, calls.length - 1 - answered)];
    },
  };
}
