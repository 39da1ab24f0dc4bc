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

/** Where the files of a memory are. */
export interface MemoryToolOptions {
  /** Any store: the files stand in the state of the thread, beside its log, one value for each. */
  readonly store: HistoryStore;
  /** The thread; one that is not there is created by the first file. Use a thread of its own for a memory that several conversations share. */
  readonly threadId: string;
  readonly signal?: AbortSignal | undefined;
}

/** What answers the commands of Anthropic's memory tool: for `betaMemoryTool` of the SDK, or a loop of your own. Each answer is the text of a tool result. */
export interface MemoryToolHandlers {
  /** Shows a file with line numbers, or what is in a folder. `view_range` is the first and the last line, from 1; -1 is the end. */
  view(command: {
    readonly path: string;
    readonly view_range?: readonly number[];
  }): Promise<string>;
  /** Creates a file; one that is there already stays as it is. */
  create(command: { readonly path: string; readonly file_text: string }): Promise<string>;
  /** Replaces a text that stands in the file exactly once. */
  str_replace(command: {
    readonly path: string;
    readonly old_str: string;
    readonly new_str?: string;
  }): Promise<string>;
  /** Inserts lines behind a line; 0 is the beginning. */
  insert(command: {
    readonly path: string;
    readonly insert_line: number;
    readonly insert_text: string;
  }): Promise<string>;
  /** Deletes a file, or a folder with all that is in it. */
  delete(command: { readonly path: string }): Promise<string>;
  /** Moves a file or a folder to a path where nothing is. */
  rename(command: { readonly old_path: string; readonly new_path: string }): Promise<string>;
}

/**
 * Answers the commands of Anthropic's memory tool (`memory_20250818`) from a store, in the words of
 * [Anthropic's page](https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool).
 *
 * Folders are there as long as a file is in them. Edits are compare and set: of two at once neither is lost. A folder is moved or deleted file by file; what fails half way has lost
 * nothing. A file holds at most 1,000,000 bytes, as JSON.
 *
 * @throws The handlers throw what the SDK makes an error result of: a `HistoryError` with code `NOT_FOUND`, or `INVALID_OPTION` for a path that is not below `/memories` or not plain, and for what
 * cannot be done; its message is for the model and names the path. What the store throws goes through: `TOO_LARGE`, `STORE_UNAVAILABLE`, `OUTCOME_UNKNOWN`, `ABORTED`.
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
