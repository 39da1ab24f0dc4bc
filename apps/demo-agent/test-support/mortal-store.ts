import type { HistoryStore } from "@agent-history/core";

/** A store whose process is killed in the middle of its work. */
export interface MortalStore {
  readonly store: HistoryStore;
  /** How many writes were begun. */
  readonly writes: () => number;
}

/**
 * Passes on to a store until its process is killed at a write: `before` it is kept, or `after`, so that its answer is lost. From then on
 * every verb fails, as nobody is there.
 */
export function mortalStore(
  store: HistoryStore,
  death: { readonly atWrite: number; readonly moment: "before" | "after" } = {
    atWrite: Infinity,
    moment: "before",
  },
): MortalStore {
  let writes = 0;
  let isDead = false;
  const alive = <Args extends readonly unknown[], Result>(
    verb: (...args: Args) => Promise<Result>,
  ): ((...args: Args) => Promise<Result>) => {
    return async (...args) => {
      if (isDead) throw new Error("Killed.");
      return verb(...args);
    };
  };
  const writing = <Args extends readonly unknown[], Result>(
    verb: (...args: Args) => Promise<Result>,
  ): ((...args: Args) => Promise<Result>) =>
    alive(async (...args) => {
      writes += 1;
      if (writes !== death.atWrite) return verb(...args);
      if (death.moment === "after") await verb(...args);
      isDead = true;
      throw new Error("Killed.");
    });
  return {
    store: {
      ...store,
      append: writing(async (...args: Parameters<typeof store.append>) => store.append(...args)),
      commitCompaction: writing(async (...args: Parameters<typeof store.commitCompaction>) =>
        store.commitCompaction(...args),
      ),
      read: alive(async (...args: Parameters<typeof store.read>) => store.read(...args)),
      getState: alive(async (...args: Parameters<typeof store.getState>) =>
        store.getState(...args),
      ),
      setState: alive(async (...args: Parameters<typeof store.setState>) =>
        store.setState(...args),
      ),
    },
    writes: () => writes,
  };
}
