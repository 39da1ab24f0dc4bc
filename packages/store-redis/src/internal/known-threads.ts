import { boundedMap } from "./bounded-map.ts";
import type { Ancestor, Tree } from "./tree.ts";

/** What a handle remembers of a thread: the newest it has seen, and what it needs to write without asking. */
export interface KnownThread {
  /** The highest version seen. */
  readonly version: number;
  /** The field of the entry that was last at that version. */
  readonly lastId: string;
  readonly ancestry: readonly Ancestor[];
  /** The head of that version and the facts looked up at it; absent ones too. */
  readonly writer?: {
    readonly head: string | undefined;
    readonly facts: Map<string, string | undefined>;
  };
  /** When the thread expires by the server's clock, in milliseconds, as far as this handle knows. */
  readonly expiresAtMs?: number;
}

/** What a handle remembers, within bounds. */
export interface Known {
  readonly thread: (threadId: string) => KnownThread | undefined;
  /** Takes what was seen, unless something newer was. */
  readonly see: (threadId: string, thread: KnownThread) => void;
  readonly forget: (threadId: string) => void;
  /** Forgets the head to write from: another writer was faster. */
  readonly forgetWriter: (threadId: string) => void;
  readonly tree: (tag: string) => Tree | undefined;
  readonly seeTree: (tag: string, tree: Tree) => void;
  readonly forgetTree: (tag: string) => void;
}

/** Begins without knowledge. */
export function nothingKnown(size: number): Known {
  const threads = boundedMap<KnownThread>(size);
  const trees = boundedMap<Tree>(size);
  return {
    thread: threads.get,
    see: (threadId, thread) => {
      const before = threads.get(threadId);
      if (before !== undefined && before.version > thread.version) return;
      const keeps = before?.version === thread.version && thread.writer === undefined;
      threads.set(
        threadId,
        keeps && before.writer !== undefined ? { ...thread, writer: before.writer } : thread,
      );
    },
    forget: threads.delete,
    forgetWriter: (threadId) => {
      const before = threads.get(threadId);
      if (before === undefined) return;
      const { writer, ...thread } = before;
      threads.set(threadId, thread);
    },
    tree: trees.get,
    seeTree: trees.set,
    forgetTree: trees.delete,
  };
}
