import { classifyWord } from "../facts/internal/classify-word.ts";
import { argumentTexts, commandOf, withoutHeredocs } from "./argument-values.ts";
import type { ReadCall } from "./read-calls.ts";

/** What became of a file, by the calls that named it. */
export interface FileRecord {
  readonly path: string;
  readonly isChanged: boolean;
  /** What the last change was, where it was no plain edit. */
  readonly state?: "new" | "deleted" | "last edit failed";
  /** Calls that named it. */
  readonly count: number;
  /** The position of the last of them. */
  readonly index: number;
}

/** A file that one call names, and what the call does to it. */
export interface FileUse {
  readonly path: string;
  readonly does: "read" | "change" | "create" | "delete";
}

/** The files that calls named, each once, in the order in which they were last named. Linear. */
export function fileLedger(calls: readonly ReadCall[]): readonly FileRecord[] {
  const files = new Map<string, FileRecord>();
  for (const call of calls) {
    for (const { path, does } of fileUses(call)) {
      const known = files.get(path);
      files.delete(path);
      const didFail = call.outcome !== undefined && call.outcome !== "success";
      const isChange = does !== "read";
      const state = !isChange ? known?.state : didFail ? failedState(known) : stateOf(does, known);
      files.set(path, {
        path,
        isChanged: known?.isChanged === true || isChange,
        count: (known?.count ?? 0) + 1,
        index: call.index,
        ...(state !== undefined && { state }),
      });
    }
  }
  return [...files.values()];
}

function failedState(known: FileRecord | undefined): FileRecord["state"] {
  return known?.state === "new" ? "new" : "last edit failed";
}

function stateOf(does: FileUse["does"], known: FileRecord | undefined): FileRecord["state"] {
  if (does === "delete") return "deleted";
  if (does === "create")
    return known === undefined || known.state === "deleted" ? "new" : known.state;
  return known?.state === "new" ? "new" : undefined;
}

const CHANGE_NAME =
  /(?:^|[^a-z])(?:write|edit|create|replace|patch|insert|update|apply|delete|remove|rename|move|append|save)|(?:Write|Edit|Create|Replace|Patch|Insert|Update|Apply|Delete|Remove|Rename|Move|Append|Save)/;
const CREATE_NAME = /write|create|save/i;
const DELETE_NAME = /delete|remove/i;
const CHANGE_KEY = /content|file_text|new_|old_|replace|patch|diff|edits|insert/i;
const PATCH_HEAD = /^(?:\*\*\* (Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(\S[^\n\t]{0,299})/gm;
const LONGEST_PATH = 300;

/** The files that a call names: as a whole argument, in a command line, or at the head of a patch. */
export function fileUses({ name, text, args }: ReadCall): readonly FileUse[] {
  const command = commandOf(args) ?? (typeof args === "string" ? args : undefined);
  const patched = patchedFiles(args === undefined ? text : (command ?? ""));
  if (patched.length > 0) return patched;
  const values = argumentTexts(args);
  const isChange = CHANGE_NAME.test(name) || values.some(({ key }) => CHANGE_KEY.test(key));
  const does = !isChange
    ? "read"
    : DELETE_NAME.test(name)
      ? "delete"
      : CREATE_NAME.test(name)
        ? "create"
        : "change";
  const uses: FileUse[] = [];
  for (const { value } of values) {
    const patches = value.includes("\n") ? patchedFiles(value) : [];
    for (const use of patches) uses.push(use);
    if (value !== command && isPathAlone(value)) uses.push({ path: value, does });
  }
  // A tool of a shell may hand on the line without any key.
  const line = command ?? (args === undefined && !text.includes("\n") ? text : "");
  for (const path of pathsInCommand(line)) uses.push({ path, does: "read" });
  return uses;
}

function patchedFiles(text: string): readonly FileUse[] {
  return [...text.matchAll(PATCH_HEAD)].map(([, what, path = ""]) => ({
    path: path.trim(),
    does: what === "Add" ? "create" : what === "Delete" ? "delete" : "change",
  }));
}

/** The files in a command line. */
function pathsInCommand(command: string): readonly string[] {
  if (command === "") return [];
  const words = withoutHeredocs(command)
    .replace(/\s-m\s+(?:"[^"]*"|'[^']*')/g, " ")
    .split(/[\s'"`;|&()<>=,:]+/)
    .map((word) => word.replace(/^@|\.+$/g, ""));
  return words.filter((word) => !/[*{}[\]$?\\!#^%]|\/\//.test(word) && isFilePath(word));
}

function isPathAlone(value: string): boolean {
  return value.length <= LONGEST_PATH && !/[\s*?{}<>"'|]/.test(value) && isFilePath(value);
}

/** Whether a word names a file: its last part has a known ending, or begins with a dot, or is a file of that name by habit. */
export function isFilePath(word: string): boolean {
  if (word.length < 2 || word.length > LONGEST_PATH || word.endsWith("/")) return false;
  if (/^[a-z]+:\/\//i.test(word)) return false;
  const base = word.slice(word.lastIndexOf("/") + 1);
  if (WELL_KNOWN.test(base)) return true;
  const ending = base.slice(base.lastIndexOf(".") + 1);
  // `mu.Lock` is a member, `NOTES.MD` a file.
  if (ending !== ending.toLowerCase() && ending !== ending.toUpperCase()) return false;
  return (
    !word.startsWith("...") &&
    classifyWord(base).some(({ kind, text }) => kind === "file" && text === base)
  );
}

const WELL_KNOWN =
  /^(?:\.(?:\w{1,20}ignore|\w{1,20}rc|gitattributes|gitmodules|editorconfig|env(?:\.\w{1,20})?)|Makefile|Dockerfile|LICENSE|CODEOWNERS|Gemfile|Rakefile|Procfile|Justfile|justfile|README)$/;
