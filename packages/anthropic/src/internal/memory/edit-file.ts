import type { MemoryFile } from "./memory-files.ts";
import { lineAt, indexesOf, snippet } from "./memory-text.ts";
import { refused } from "./refused.ts";

/** A file with its new text, and what the model reads of it. */
export interface FileEdit {
  readonly text: string;
  readonly answer: string;
}

/** Replaces a text that stands in a file exactly once. */
export function replaceText({ path, text }: MemoryFile, old: unknown, by: unknown = ""): FileEdit {
  if (typeof old !== "string" || typeof by !== "string") {
    throw refused("Expected `old_str` and `new_str` to be texts.");
  }
  const indexes = indexesOf(text, old);
  const [index] = indexes;
  if (index === undefined) {
    throw refused(
      `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
    );
  }
  if (indexes.length > 1) {
    const lines = [...new Set(indexes.map((at) => lineAt(text, at) + 1))];
    throw refused(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines.join(", ")}. Please ensure it is unique`,
    );
  }
  const changed = text.slice(0, index) + by + text.slice(index + old.length);
  const shown = snippet(changed, lineAt(changed, index), lineAt(changed, index + by.length));
  return {
    text: changed,
    answer: `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`,
  };
}

/** Inserts lines behind a line. */
export function insertLines({ path, text }: MemoryFile, line: unknown, added: unknown): FileEdit {
  const lines = text.split("\n");
  const isLine = typeof line === "number" && Number.isInteger(line);
  if (!isLine || line < 0 || line > lines.length) {
    throw refused(
      `Invalid \`insert_line\` parameter: ${String(line)}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  if (typeof added !== "string") throw refused("Expected `insert_text` to be a text.");
  const changed = [...lines.slice(0, line), added.replace(/\n$/, ""), ...lines.slice(line)];
  return { text: changed.join("\n"), answer: `The file ${path} has been edited.` };
}
