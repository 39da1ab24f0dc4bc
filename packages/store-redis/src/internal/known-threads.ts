import { boundedMap } from "@agent-history/store-kit/indexed";

import type { Ancestor, Tree } from "./tree.ts";

/** What a handle remembers of a thread: the newest it has seen, and what it needs to write without asking. */
export interface KnownThread {
  /** The highest version seen. */
  readonly version: number;
  /** How many entries it had then. */
  readonly entryCount: number;
  /** How many suffixes had been replaced then. */
  readonly replacements: number;
  /** The field of the entry that was last at that version. */
  readonly lastId: string;
  readonly ancestry: readonly Ancestor[];
  /** Of that version. */
  readonly writer?: ThreadWriter;
  /** When the thread expires by the server's clock, in milliseconds, as far as this handle knows. */
  readonly expiresAtMs?: number;
}

/** What an append works out its index from. */
export interface ThreadWriter {
  readonly head: string | undefined;
  /** Those that were looked up, absent ones too; all of a short thread. */
  readonly facts: Map<string, string | undefined>;
  /** The characters of a short thread's entries; `undefined` for a long one. */
  readonly shortLength: number | undefined;
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
      const { version, entryCount, replacements, lastId, ancestry, expiresAtMs } = thread;
      const writer = keeps ? before.writer : thread.writer;
      // Nothing else of what was handed in: it may hold a whole thread.
      threads.set(threadId, {
        version,
        entryCount,
        replacements,
        lastId,
        ancestry,
        ...(writer === undefined ? {} : { writer }),
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      });
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
