/** A call, by the index of its action and its own among the action's. */
export type CallPlace = readonly [action: number, call: number];

/** Calls by name, the newest first. */
export interface CallStacks {
  readonly push: (name: string, call: CallPlace) => void;
  /** The newest call of a name that has no answer. */
  readonly open: (name: string) => CallPlace | undefined;
  /** The newest call of a name. */
  readonly newest: (name: string) => CallPlace | undefined;
}

/** Begins stacks of calls; none is looked at again once it is found answered. */
export function callStacks(
  answers: ReadonlyMap<number, readonly (number | undefined)[]>,
): CallStacks {
  const waiting = new Map<string, CallPlace[]>();
  const last = new Map<string, CallPlace>();
  return {
    push: (name, call) => {
      last.set(name, call);
      const calls = waiting.get(name);
      if (calls === undefined) waiting.set(name, [call]);
      else calls.push(call);
    },
    open: (name) => {
      const calls = waiting.get(name) ?? [];
      let open = calls.at(-1);
      while (open !== undefined && answers.get(open[0])?.[open[1]] !== undefined) {
        calls.pop();
        open = calls.at(-1);
      }
      return open;
    },
    newest: (name) => last.get(name),
  };
}
