/** A call, by the index of its action and its own among the action's. */
export interface CallLocation {
  readonly action: number;
  readonly call: number;
}

/** Calls by name, the newest first. */
export interface CallStacks {
  readonly push: (name: string, location: CallLocation) => void;
  /** The newest call of a name that has no answer. */
  readonly open: (name: string) => CallLocation | undefined;
  /** The newest call of a name. */
  readonly newest: (name: string) => CallLocation | undefined;
}

/** A call on its stack. */
interface Link extends CallLocation {
  /** The next older call of its name; those between the two are answered. */
  older: Link | undefined;
}

/** Begins stacks of calls; none is walked over again once it is found answered. */
export function callStacks(
  answers: ReadonlyMap<number, readonly (number | undefined)[]>,
): CallStacks {
  const tops = new Map<string, Link>();
  const isAnswered = ({ action, call }: CallLocation): boolean =>
    answers.get(action)?.[call] !== undefined;
  return {
    push: (name, { action, call }) => {
      tops.set(name, { action, call, older: tops.get(name) });
    },
    open: (name) => {
      const top = tops.get(name);
      if (top === undefined || !isAnswered(top)) return top;
      while (top.older !== undefined && isAnswered(top.older)) top.older = top.older.older;
      return top.older;
    },
    newest: (name) => tops.get(name),
  };
}
