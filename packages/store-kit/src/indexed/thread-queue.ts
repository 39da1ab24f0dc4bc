/** Items that wait, a line for each thread. */
export interface ThreadQueue<Item> {
  readonly push: (threadId: string, item: Item) => void;
  /** Takes an item out that is not on its way yet; false where it is. */
  readonly remove: (threadId: string, item: Item) => boolean;
  /** Resolves when nothing waits and nothing is on its way. */
  readonly idle: () => Promise<void>;
}

/** How a queue works. */
export interface ThreadQueueOptions<Item> {
  /** Returns whether an item may go together with those before it. */
  readonly joins: (together: readonly Item[], next: Item) => boolean;
  /** Sends items. Must not throw. */
  readonly send: (threadId: string, together: readonly Item[]) => Promise<Sent<Item>>;
}

/** What became of items that were sent. */
export interface Sent<Item> {
  /** Answers the callers. Called when the next items are on their way, so that server and callers work at once. */
  readonly settle: () => void;
  /** Where the items failed and may be sent again: answers the callers of those that wait behind them. None of them is sent. */
  readonly failBehind?: (waiting: readonly Item[]) => void;
}

/**
 * Makes a queue that has one sending in flight for each thread: what comes meanwhile waits, and then goes together as far as
 * it may. So order is kept, and a busy thread sends larger batches rather than more of them. Where a sending fails, what waits behind it fails too: its
 * caller may send the first again, and it would stand behind the second.
 */
export function threadQueue<Item>({ joins, send }: ThreadQueueOptions<Item>): ThreadQueue<Item> {
  const lines = new Map<string, Item[]>();
  const running = new Set<Promise<void>>();

  async function drain(threadId: string, line: Item[]): Promise<void> {
    // What is pushed in the same tick goes together.
    await Promise.resolve();
    while (line.length > 0) {
      const { settle, failBehind } = await send(threadId, takeTogether(line, joins));
      const behind = failBehind === undefined ? [] : line.splice(0);
      if (line.length > 0) setImmediate(settle);
      else settle();
      failBehind?.(behind);
    }
    lines.delete(threadId);
  }

  return {
    push: (threadId, item) => {
      const line = lines.get(threadId);
      if (line !== undefined) {
        line.push(item);
        return;
      }
      const begun = [item];
      lines.set(threadId, begun);
      const drained = drain(threadId, begun).finally(() => running.delete(drained));
      running.add(drained);
    },
    remove: (threadId, item) => {
      const line = lines.get(threadId) ?? [];
      const index = line.indexOf(item);
      if (index >= 0) line.splice(index, 1);
      return index >= 0;
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function takeTogether<Item>(
  line: Item[],
  joins: ThreadQueueOptions<Item>["joins"],
): readonly Item[] {
  const together = line.splice(0, 1);
  let next = line[0];
  while (next !== undefined && joins(together, next)) {
    together.push(next);
    line.shift();
    next = line[0];
  }
  return together;
}
