/** A call: the index of its action, and its index within the action. */
export interface CallLocation {
  readonly action: number;
  readonly call: number;
}

/** Calls by key, newest first. */
export interface CallStacks {
  readonly push: (name: string, location: CallLocation) => void;
  /** The newest open call of a key. */
  readonly open: (name: string) => CallLocation | undefined;
  /** The newest call of a key. */
  readonly newest: (name: string) => CallLocation | undefined;
}

/** A call on its stack. */
interface Link extends CallLocation {
  /** The next older call of its key; all between are answered. */
  older: Link | undefined;
}

/** Creates stacks of calls. Answered calls are skipped once and never visited again. */
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
