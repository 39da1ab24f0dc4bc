import { isHistoryError } from "@agent-history/core";
import type { HistoryStore, JsonValue } from "@agent-history/core";

/** A file of the memory tool, as the store has it. */
export interface MemoryFile {
  readonly path: string;
  readonly text: string;
  readonly revision: number;
}

/** The files of one memory: each is one value in the state of a thread. */
export interface MemoryFiles {
  readonly read: (path: string) => Promise<MemoryFile | undefined>;
  /** All files below a folder, in the order of their paths. */
  readonly below: (folder: string) => Promise<readonly MemoryFile[]>;
  /** Writes a file as it was read, and returns its revision; `undefined` where another has written it meanwhile. A revision of 0 is a file that is not there. */
  readonly write: (path: string, text: string, revision: number) => Promise<number | undefined>;
  /** Removes a file as it was read; `undefined` where another has written it meanwhile. */
  readonly remove: (path: string, revision: number) => Promise<number | undefined>;
}

/** Keeps files in the state of a thread, each under the key `memory:` and its path. */
export function memoryFiles(
  store: HistoryStore,
  threadId: string,
  signal?: AbortSignal,
): MemoryFiles {
  const options = signal === undefined ? {} : { signal };
  const set = async (
    path: string,
    text: string | undefined,
    expectedRevision: number,
  ): Promise<number | undefined> => {
    try {
      const done = { ...options, expectedRevision };
      return (await store.setState(threadId, keyOf(path), text, done)).revision;
    } catch (error) {
      if (isHistoryError(error, "VERSION_CONFLICT")) return undefined;
      throw error;
    }
  };
  return {
    read: async (path) => {
      const found = await store.getState(threadId, keyOf(path), options);
      return found && { path, text: textOf(found.value), revision: found.revision };
    },
    below: async (folder) => {
      const files: MemoryFile[] = [];
      const prefix = keyOf(`${folder}/`);
      for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
        const page = await store.listState(threadId, {
          ...options,
          prefix,
          ...(cursor && { cursor }),
        });
        for (const { key, value, revision } of page.items) {
          files.push({ path: key.slice(PREFIX.length), text: textOf(value), revision });
        }
        ({ cursor } = page);
      }
      return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    write: (path, text, revision) => set(path, text, revision),
    remove: (path, revision) => set(path, undefined, revision),
  };
}

const PREFIX = "memory:";

function keyOf(path: string): string {
  return `${PREFIX}${path}`;
}

/** Another program may have written something else under the key. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
