import { posix } from "node:path";

import { fieldOf, textAt } from "../messages/json-fields.ts";
import type { RecordedLine } from "./recorded-line.ts";

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

const ENDING =
  /^(?:\.?[\w@+-][\w.@+-]*)?\.(?:astro|avif|bash|bat|bats|c|cc|cfg|cjs|conf|cpp|cs|csproj|css|csv|cts|dart|db|diff|env|ex|exs|fish|gif|gitignore|go|gql|gradle|graphql|h|hpp|html?|ini|ipynb|java|jpe?g|jsx?|jsonc?|jsonl|kt|less|lock|log|lua|mdx?|mjs|mod|mts|patch|php|plist|png|prisma|proto|ps1|py|rb|rs|rst|sass|scala|scss|sh|sln|snap|sql|sum|svelte|svg|swift|tape|template|tf|toml|tsx?|txt|vue|xml|ya?ml|zsh)$|^(?:Makefile|Dockerfile|LICENSE|CODEOWNERS|Gemfile|Rakefile|Procfile|Justfile|justfile)$/;
const HEREDOC = /<<-?\s*['"]?(\w+)['"]?[^\n]*\n[\s\S]*?\n\s*\1\b/g;
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (\S+)/gm;
const MESSAGE = /\s-m\s+("[^"]*"|'[^']*')/g;

/** The files that a text names by paths or names. */
export function fileWords(text: string): readonly string[] {
  const words = text.split(/[\s'"`;|&()<>=,:]+/).map((word) => word.replace(/^@|[.]+$/g, ""));
  return words.filter(
    (word) =>
      !/[*{}[\]$?\\!#^%]|\/\//.test(word) &&
      ENDING.test(posix.basename(word)) &&
      !word.endsWith("/"),
  );
}

/** The paths in the inputs of calls, in order. */
export function usedPaths(lines: readonly RecordedLine[]): readonly UsedPath[] {
  return inputsOf(lines).flatMap(({ name, input, cwd }) => {
    const command = commandIn(name, input).replace(HEREDOC, " ").replace(MESSAGE, " ");
    const folder = /^\s*cd\s+([^\s;&'"$]+)\s*(?:&&|;)/.exec(command)?.[1] ?? ".";
    const base = posix.resolve(cwd === "" ? "/" : cwd, folder);
    const given = ["file_path", "notebook_path"].map((key) => textAt(input, key)).filter(Boolean);
    const patched = [...textAt(input, "input").matchAll(PATCHED)].map(([, path = ""]) => path);
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

/** The command line that a call of a shell runs: of Claude Code, of Codex. */
function commandIn(name: string, input: object): string {
  if (name === "Bash") return textAt(input, "command");
  return name === "exec_command" ? textAt(input, "cmd") : "";
}

/** Names of code that the agent looks for: in patterns of searches and in commands; no paths. */
export function usedNames(lines: readonly RecordedLine[]): readonly string[] {
  const texts = inputsOf(lines).map(({ name, input }) =>
    name === "Grep" ? textAt(input, "pattern") : commandIn(name, input),
  );
  const words = texts.flatMap((text) =>
    text
      .replace(HEREDOC, " ")
      .replace(MESSAGE, " ")
      .split(/[\s'"`;|&<>]+/)
      .filter((word) => !word.includes("/"))
      .flatMap((word) => word.match(/[A-Za-z_]\w{5,}/g) ?? []),
  );
  return [...new Set(words.filter((word) => /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(word)))];
}

/** What persons typed: the first 160 characters of each message, on one line and without marks. */
export function requestsIn(lines: readonly RecordedLine[]): readonly string[] {
  return lines
    .filter(({ type, isMeta, isCompactSummary }) => type === "user" && !isMeta && !isCompactSummary)
    .flatMap(({ blocks }) => blocks)
    .filter(
      ({ type, text }) =>
        type === "text" && !/^\s*(?:<|\[Request interrupted|This session is being)/.test(text),
    )
    .map(({ text }) => flat(text).slice(0, 160).trim())
    .filter((text) => text.length > 3);
}

/** A text on one line without the marks of Markdown. */
export function flat(text: string): string {
  return text.replace(/[\s>"'`*_\\]+/g, " ").trim();
}

const END = String.raw`(?![\w-]|\.\w)`;

/** Whether a name stands in a text as a whole. */
export function hasName(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w.@-])${quote(name)}${END}`).test(text);
}

/** Whether a file stands in a text by one of its paths. */
export function hasPath(text: string, { forms }: NamedFile): boolean {
  return forms.some((form) =>
    new RegExp(String.raw`(?<![\w.@/-])(?:\./)?${quote(form)}${END}`).test(text),
  );
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function inputsOf(
  lines: readonly RecordedLine[],
): readonly { readonly name: string; readonly input: object; readonly cwd: string }[] {
  return lines
    .filter(({ type }) => type === "assistant")
    .flatMap(({ blocks, cwd }) =>
      blocks.flatMap(({ type, name, input }) =>
        type === "tool_use" ? [{ name, input, cwd }] : [],
      ),
    );
}

/** All that is said before a compaction, the values of inputs included. */
export function inputTexts(input: object): string {
  return Object.keys(input)
    .map((key) => {
      const value = fieldOf(input, key);
      return typeof value === "string" ? value : JSON.stringify(value);
    })
    .join("\n");
}
