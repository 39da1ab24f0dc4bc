/** A call, by the index of its action and its own among the action's. */
export interface CallPlace {
  readonly action: number;
  readonly call: number;
}

/** Calls by name, the newest first. */
export interface CallStacks {
  readonly push: (name: string, place: CallPlace) => void;
  /** The newest call of a name that has no answer. */
  readonly open: (name: string) => CallPlace | undefined;
  /** The newest call of a name. */
  readonly newest: (name: string) => CallPlace | undefined;
}

/** A call on its stack. */
interface Link extends CallPlace {
  /** The next older call of its name; those between the two are answered. */
  older: Link | undefined;
}

/** Begins stacks of calls; none is walked over again once it is found answered. */
export function callStacks(
  answers: ReadonlyMap<number, readonly (number | undefined)[]>,
): CallStacks {
  const tops = new Map<string, Link>();
  const isAnswered = ({ action, call }: CallPlace): boolean =>
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
