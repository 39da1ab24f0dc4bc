import { posix } from "node:path";

import type { ToolCall } from "@agent-history/core";
import {
  bareCommand,
  callCommand,
  callInput,
  entryText,
  fileWords,
} from "@agent-history/transcripts";
import type { EntryItem } from "@agent-history/transcripts";

import { textAt } from "../messages/json-fields.ts";

/** A file that calls name, and the forms in which it may stand in a text. */
export interface NamedFile {
  readonly name: string;
  readonly forms: readonly string[];
}

/** A path in the input of a call: from the root of the file system, below the working folder, and as it stands there. */
export interface UsedPath {
  readonly absolute: string;
  readonly relative: string;
  readonly raw: string;
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (\S+)/gm;

/** The paths in the inputs of calls, in order. */
export function usedPaths(items: readonly EntryItem[]): readonly UsedPath[] {
  return callsOf(items).flatMap(({ call, cwd }) => {
    const input = callInput(call);
    const command = bareCommand(callCommand(call));
    const folder = /^\s*cd\s+([^\s;&'"$]+)\s*(?:&&|;)/.exec(command)?.[1] ?? ".";
    const base = posix.resolve(cwd === "" ? "/" : cwd, folder);
    const given = ["file_path", "notebook_path"].map((key) => textAt(input, key)).filter(Boolean);
    const patched = [...call.arguments.matchAll(PATCHED)].map(([, path = ""]) => path);
    const raws = [...given, ...patched, ...fileWords(textAt(input, "path")), ...fileWords(command)];
    return raws.map((raw) => {
      const absolute = raw.startsWith("~") ? raw : posix.resolve(base, raw);
      const isBelow = absolute.startsWith(`${cwd}/`);
      return { absolute, raw, relative: isBelow ? absolute.slice(cwd.length + 1) : absolute };
    });
  });
}

/** Each file once, with all its forms. */
export function namedFiles(paths: readonly UsedPath[]): readonly NamedFile[] {
  const found = new Map<string, Set<string>>();
  for (const { absolute, relative, raw } of paths) {
    const forms = found.get(absolute) ?? new Set();
    found.set(absolute, forms);
    for (const form of [absolute, relative, raw.replace(/^\.\//, "")]) forms.add(form);
  }
  return [...found].map(([path, forms]) => ({ name: posix.basename(path), forms: [...forms] }));
}

/** Names of code that the agent looks for: in patterns of searches and in commands; no paths. */
export function usedNames(items: readonly EntryItem[]): readonly string[] {
  const texts = callsOf(items).map(({ call }) =>
    call.name === "Grep" ? textAt(callInput(call), "pattern") : bareCommand(callCommand(call)),
  );
  const words = texts.flatMap((text) =>
    text
      .split(/[\s'"`;|&<>]+/)
      .filter((word) => !word.includes("/"))
      .flatMap((word) => word.match(/[A-Za-z_]\w{5,}/g) ?? []),
  );
  return [...new Set(words.filter((word) => /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(word)))];
}

/** What persons typed: the first 160 characters of each message, on one line and without marks. */
export function requestsIn(items: readonly EntryItem[]): readonly string[] {
  return items
    .filter(({ entry, isMeta }) => entry.type === "user_message" && isMeta !== true)
    .map(({ entry }) => entryText(entry))
    .map((text) => flat(text).slice(0, 160).trim())
    .filter((text) => text.length > 3);
}

/** A text on one line without the marks of Markdown. */
export function flat(text: string): string {
  return text.replace(/[\s>"'`*_#\\]+/g, " ").trim();
}

const END = String.raw`(?![\w-]|\.\w)`;

/** Whether a name stands in a text as a whole. */
export function hasName(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w.@-])${quote(name)}${END}`).test(text);
}

/** Whether a file stands in a text by one of its paths: `src/{a.ts, b.ts}` names two, and paths may be relative to a folder that the text names. */
export function hasPath(text: string, file: NamedFile): boolean {
  return standsIn(text, file) || standsIn(expanded(text), file);
}

/** The paths of lists in braces and those that are relative, written out. */
function expanded(text: string): string {
  const lists = [...text.matchAll(/([\w.@~/-]*\/)\{([^{}\n]*)\}/g)].flatMap(
    ([, folder = "", names = ""]) => names.split(",").map((name) => folder + name.trim()),
  );
  const root = /^Paths are relative to (\S+)\.$/m.exec(text)?.[1];
  const words = root === undefined ? [] : fileWords(text).filter((word) => !word.startsWith("/"));
  return [...lists, ...[...lists, ...words].map((word) => `${root ?? ""}/${word}`)].join("\n");
}

function standsIn(text: string, { forms }: NamedFile): boolean {
  return forms.some((form) =>
    new RegExp(String.raw`(?<![\w.@/-])(?:\./)?${quote(form)}${END}`).test(text),
  );
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

interface CallInFolder {
  readonly call: ToolCall;
  readonly cwd: string;
}

/** The calls of actions. A command of Codex says in which folder it runs. */
function callsOf(items: readonly EntryItem[]): readonly CallInFolder[] {
  return items.flatMap(({ entry, cwd = "" }) =>
    entry.type === "action"
      ? entry.toolCalls.map((call) => ({ call, cwd: textAt(callInput(call), "workdir") || cwd }))
      : [],
  );
}
