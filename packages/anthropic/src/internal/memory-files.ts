import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryStore, JsonValue } from "@agent-history/core";

/** A stored file of the memory tool. */
export interface MemoryFile {
  readonly path: string;
  readonly text: string;
  readonly revision: number;
}

/** The files of one memory; each is one value in a thread's state. */
export interface MemoryFiles {
  readonly read: (path: string) => Promise<MemoryFile | undefined>;
  /** Returns all files below a folder, ordered by path. */
  readonly below: (folder: string) => Promise<readonly MemoryFile[]>;
  /** Writes a file if its revision is still the given one, and returns the new revision; `undefined` on a concurrent write. Revision 0: the file must not exist. */
  readonly write: (path: string, text: string, revision: number) => Promise<number | undefined>;
  /** Removes a file if its revision is still the given one; `undefined` on a concurrent write. */
  readonly remove: (path: string, revision: number) => Promise<number | undefined>;
}

/** Stores files in the state of a thread, under the key `memory:` and the path. */
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

/** Another program may have written a value that is not text under the key. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Root folder of the memory tool. */
export const MEMORY_ROOT = "/memories";

const MAX_PATH_LENGTH = 1000;
// oxlint-disable-next-line no-control-regex -- that is what is refused
const UNSAFE = /[\u0000-\u001F\u007F\\]|\p{Surrogate}/u;

/**
 * Validates a path written by a model, and returns it without a trailing slash.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not below `/memories`, or contains `..` (also encoded), empty names, control characters or backslashes.
 */
export function memoryPath(path: unknown): string {
  if (typeof path !== "string") throw refused("Expected a path.");
  const plain = path.replace(/\/$/, "");
  if (plain !== MEMORY_ROOT && !plain.startsWith(`${MEMORY_ROOT}/`)) {
    throw refused(`Path must start with ${MEMORY_ROOT}, got: ${path.slice(0, 100)}`);
  }
  const names = plain.slice(MEMORY_ROOT.length + 1).split("/");
  const isPlain =
    plain.length <= MAX_PATH_LENGTH &&
    !UNSAFE.test(plain) &&
    (plain === MEMORY_ROOT || names.every(isName));
  if (isPlain) return plain;
  throw refused(`Path ${path.slice(0, 100)} would escape ${MEMORY_ROOT} directory`);
}

/** Returns the folders of a file, below the root. */
export function foldersOf(path: string): readonly string[] {
  const names = path.slice(MEMORY_ROOT.length + 1).split("/");
  return names.slice(0, -1).map((_, at) => `${MEMORY_ROOT}/${names.slice(0, at + 1).join("/")}`);
}

function isName(name: string): boolean {
  const decoded = decode(name);
  return !["", ".", ".."].includes(decoded) && !decoded.includes("/") && !UNSAFE.test(decoded);
}

/** Decodes only the percent codes that a later decoder could turn into path syntax; other percent signs are part of the name. */
function decode(name: string): string {
  return name.replaceAll(/%(2e|2f|5c|00)/gi, (code) =>
    String.fromCodePoint(Number.parseInt(code.slice(1), 16)),
  );
}

/** Error for a command that cannot be executed as written. The message is for the model. */
export function refused(message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option: "command" } });
}

/** Error for a path that does not exist. */
export function missing(message: string): HistoryError {
  return new HistoryError(message, { code: "NOT_FOUND" });
}
