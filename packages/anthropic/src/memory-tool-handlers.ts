import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import {
  insertLines,
  replaceText,
  createFile,
  editFile,
  removeFiles,
  renameFiles,
  viewPath,
} from "./internal/memory-commands.ts";
import { memoryFiles, memoryPath } from "./internal/memory-files.ts";

/** Location of a memory's files. */
export interface MemoryToolOptions {
  /** Any store. Each file is one value in the state of the thread, separate from its log. */
  readonly store: HistoryStore;
  /** The thread; the first file creates it if needed. Use a separate thread for a memory that several conversations share. */
  readonly threadId: string;
  readonly signal?: AbortSignal | undefined;
}

/** Handlers for the commands of Anthropic's memory tool, for the SDK's `betaMemoryTool` or your own loop. Each returns the text of a tool result. */
export interface MemoryToolHandlers {
  /** Shows a file with line numbers, or lists a folder. `view_range` is the first and the last line, from 1; -1 is the end. */
  view(command: {
    readonly path: string;
    readonly view_range?: readonly number[];
  }): Promise<string>;
  /** Creates a file; an existing file stays unchanged. */
  create(command: { readonly path: string; readonly file_text: string }): Promise<string>;
  /** Replaces a text that occurs exactly once in the file. */
  str_replace(command: {
    readonly path: string;
    readonly old_str: string;
    readonly new_str?: string;
  }): Promise<string>;
  /** Inserts lines after a line; 0 is the beginning. */
  insert(command: {
    readonly path: string;
    readonly insert_line: number;
    readonly insert_text: string;
  }): Promise<string>;
  /** Deletes a file, or a folder with everything in it. */
  delete(command: { readonly path: string }): Promise<string>;
  /** Moves a file or a folder to a path that does not exist. */
  rename(command: { readonly old_path: string; readonly new_path: string }): Promise<string>;
}

/**
 * Executes the commands of Anthropic's memory tool (`memory_20250818`) on a store, with the answers of
 * [Anthropic's documentation](https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool).
 *
 * A folder exists as long as it contains a file. Edits use compare-and-set: concurrent edits are not lost. A folder is moved or deleted file by file; a failure in between loses
 * no file's content. A file has at most 1,000,000 bytes, as JSON.
 *
 * @throws The handlers throw errors that the SDK turns into error results: a `HistoryError` with code `NOT_FOUND`, or `INVALID_OPTION` for a path that is not below `/memories` or is malformed, and for commands
 * that cannot be executed; its message is for the model and names the path. Errors of the store are passed on: `TOO_LARGE`, `STORE_UNAVAILABLE`, `OUTCOME_UNKNOWN`, `ABORTED`.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { memoryToolHandlers } from "@agent-history/anthropic";
 *
 * const handlers = memoryToolHandlers({ store: memoryStore(), threadId: "memory-of-ada" });
 * await handlers.create({ path: "/memories/flights.md", file_text: "Ada likes windows." });
 * // => "File created successfully at: /memories/flights.md"
 * await handlers.view({ path: "/memories/flights.md" });
 * // => "Here's the content of /memories/flights.md with line numbers:\n     1\tAda likes windows."
 * // const tools = [betaMemoryTool(handlers)];
 * ```
 */
export function memoryToolHandlers({
  store,
  threadId,
  signal,
}: MemoryToolOptions): MemoryToolHandlers {
  if (typeof store?.setState !== "function" || typeof threadId !== "string") {
    throw new HistoryError("Expected a `store`, such as memoryStore(), and a `threadId`.", {
      code: "INVALID_OPTION",
      details: { option: "store" },
    });
  }
  const files = memoryFiles(store, threadId, signal);
  return {
    view: async ({ path, view_range: range }) => viewPath(files, memoryPath(path), range),
    create: async ({ path, file_text: text }) => createFile(files, memoryPath(path), text),
    str_replace: async ({ path, old_str: old, new_str: text }) =>
      editFile(files, memoryPath(path), (file) => replaceText(file, old, text)),
    insert: async ({ path, insert_line: line, insert_text: text }) =>
      editFile(files, memoryPath(path), (file) => insertLines(file, line, text)),
    delete: async ({ path }) => removeFiles(files, memoryPath(path)),
    rename: async ({ old_path: from, new_path: to }) =>
      renameFiles(files, memoryPath(from), memoryPath(to)),
  };
}
