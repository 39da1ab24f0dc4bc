import type { JsonObject, JsonValue } from "@agent-history/core";

import { cleanText, clip, oneLine } from "./text.ts";

/** How a call ended; `unknown` without a result. */
export type CallOutcome = "ok" | "failed" | "unknown" | "rejected";

/** A tool call with its result. */
export interface Call {
  readonly name: string;
  readonly args: JsonObject;
  /** The arguments as they were written. */
  readonly raw: string;
  readonly outcome: CallOutcome;
  readonly result: string;
  readonly at: number;
  /** The agent's text beside the call. */
  readonly text: string;
}

/** Purpose of a call: it updates a todo list, reads, edits a file, checks, publishes (`landing`), or something else. */
export type CallKind = "list" | "look" | "edit" | "check" | "landing" | "other";

/** A call with its purpose. */
export interface Deed extends Call {
  readonly kind: CallKind;
  /** The shell command on one line; empty without one. */
  readonly command: string;
  /** The files that it changed, as named in the call. */
  readonly files: readonly string[];
  /** Identity for comparing calls: the kinds of checks, the title of a commit, the command or the arguments. */
  readonly key: string;
  /** The project folder, with a trailing slash; empty if unknown. */
  readonly folder: string;
}

/** Classifies a call by purpose. */
export function deedOf(call: Call, root = ""): Deed {
  const raw = commandOf(call);
  const folder = root === "" ? "" : `${root}/`;
  const command = bareCommand(folder === "" ? raw : raw.replaceAll(folder, ""));
  const files = editedFiles(call);
  const checks = checksOf(command);
  const kind = kindOf(call, command, files, checks);
  const about = command === "" ? `${call.name} ${clip(argumentsText(call), 160)}` : command;
  const key = kind === "check" ? checks : (kind === "landing" && commitTitle(raw)) || about;
  const isFailed =
    kind === "check" && call.outcome === "ok" && SAYS_FAILED.test(call.result.slice(-8000));
  return {
    ...call,
    ...(isFailed && { outcome: "failed" }),
    kind,
    command,
    files,
    key: key.slice(0, 200),
    folder,
  };
}

const SAYS_FAILED = /(?:^|\n)(?:FAIL|--- FAIL|ERROR)\b|\b[1-9]\d* (?:failed|failing)\b|error TS\d/;

function kindOf(
  { name }: Call,
  command: string,
  files: readonly string[],
  checks: string,
): CallKind {
  if (files.length > 0) return "edit";
  if (command === "") return LISTS.test(name) ? "list" : LOOKS.test(name) ? "look" : "other";
  if (LANDS.test(command) && !/git stash list|checkout -- /.test(command)) return "landing";
  if (READS.test(command)) return "look";
  return checks === "" ? "other" : "check";
}

/** Tools that keep lists or load what they need. */
const LISTS = /^(?:todo|task|update_plan|tool_?search|skill)/i;
/** Tools that only read. */
const LOOKS =
  /^(?:read|view|grep|glob|ls|list|search|find|get|fetch|web|think|calculate|ask|exit|enter|agent)|_(?:search|find|read|list|fetch)$/i;

function commandOf({ name, args }: Call): string {
  if (EDITS.test(name)) return "";
  const command = args["command"] ?? args["cmd"] ?? args["script"];
  if (Array.isArray(command)) return String(command.at(-1) ?? "");
  return typeof command === "string" ? command : "";
}

const EDITS =
  /^(?:edit|write|multi_?edit|notebook_?edit|str_?replace|create_?file|write_?file|apply_?patch|update_?file)/i;

/** A command on one line, without `cd`, here-documents and redirections. */
function bareCommand(command: string): string {
  return oneLine(
    cleanText(command)
      .slice(0, 4000)
      .replace(/^\s*\w+=\$\(/, "")
      .replace(/^\s*cd \S+ *(?:&&|;) */, "")
      .replace(/<<-?\s*['"]?(\w+)['"]?[\s\S]*?\n\1\b/g, "<<…")
      .replaceAll(" 2>&1", ""),
  );
}

/** Finds changed files by the path of an edit, the lines of a patch, or a here-document. */
export function editedFiles(call: Call): readonly string[] {
  const { name, args, raw } = call;
  const command = commandOf(call);
  const named = EDITS.test(name) ? pathOf(args) || textAt(args, "filename", "file") : "";
  const patch = textAt(args, "input", "patch") || command || raw.replaceAll("\\n", "\n");
  const patched = raw.includes("*** ")
    ? [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.{1,300})$/gm)]
    : [];
  const written = command
    .slice(0, 20_000)
    .matchAll(/(?:cat|tee) ?>?>? ?([\w./~-]{1,200}\.\w{1,10}) ?<</g);
  const files = [named, ...[...patched, ...written].map(([, file = ""]) => file.trim())];
  return [...new Set(files)].filter((file) => file !== "" && !file.startsWith("/tmp/"));
}

/** The path that a call names. */
export function pathOf(args: JsonObject): string {
  return textAt(args, "file_path", "path", "notebook_path");
}

/** Kinds of checks by words of a command. */
const CHECKS: readonly (readonly [string, RegExp])[] = [
  [
    "test",
    /(?:^|[\s;&(])(?:(?!test -[defz] )tests?(?::[\w:-]+)?(?=$|[\s;&|)])|(?:\S*\/)?(?:vitest|jest|pytest|rspec|mocha|playwright|ctest|tox)\b)/,
  ],
  [
    "lint",
    /(?:^|[\s;&(/])(?:(?:lint|fmt|format|typecheck)(?::[\w:-]+)?(?=$|[\s;&|)])|eslint|oxlint|golangci-lint|clippy|gofmt|prettier|ruff|mypy|tsc|(?:biome|deno|npm run|pnpm|bun run|node --|go) ?(?:check|vet)\b)/,
  ],
  [
    "build",
    /(?:^|[\s;&(])(?:(?:build|compile)(?::[\w:-]+)?(?=$|[\s;&|)])|make\b|cargo check|xcodebuild|gradle)/,
  ],
  [
    "run",
    /(?:^|&& ?|; ?)(?:node|python3?|go run|bun|deno|npm (?:run|start)|pnpm|npx|cargo run|\.\/[\w./-]+|docker)\b/,
  ],
];

/** The first kind of check that a command runs; empty if it runs none. One command may test and lint. */
function checksOf(command: string): string {
  const [head = ""] = command.split("<<");
  const bare = head.replace(/"[^"]*"|'[^']*'/g, "''").slice(0, 300);
  const kinds = CHECKS.filter(([, words]) => words.test(bare)).map(([kind]) => kind);
  return kinds.slice(0, kinds[0] === "test" && kinds[1] === "lint" ? 2 : 1).join("+");
}

const READS =
  /^\s*(?:git (?:status|log|diff|show|branch|remote|fetch|rev-parse|grep|ls|blame)|ls|cat|sed -n|head|tail|rg|grep|find|wc|echo|pwd|which|command -v|gh \w+ (?:view|list|diff|checks)|gh api(?! .*(?:-X|--method|-f ))|jq|curl|sleep|stat|file|tree|\S+ (?:\S+ )?(?:--?\S+ )?(?:status|list|show|view|search|explain|ready|auth|get|describe|logs?|help|contexts|whoami)|\S+(?: \S+){0,6} --(?:help|version))\b/;
const LANDS =
  /\bgit (?:commit|push|merge|rebase|checkout|switch|reset|revert|worktree add|tag|stash|cherry-pick|pull)\b|\bgh (?:pr|issue|release|repo) (?:create|comment|edit|merge|close|review)|\bgh api -X|\b(?:npm|cargo|pnpm) publish/;

/** The title of the commit that a command makes. */
function commitTitle(command: string): string | undefined {
  const found = command
    .slice(0, 20_000)
    .matchAll(/git commit\b[^\n]*?-m\s+(?:"\$\(cat <<'?"?EOF'?"?\n([^\n]+)|["']([^"'\n]+))/g);
  const [, long, short] = [...found].at(-1) ?? [];
  return long ?? short;
}

// ---- on one line ----

/** A call on one line, with its outcome. Success is mentioned only with `isWhole`. */
export function deedLine(deed: Deed, isWhole: boolean): string {
  const { outcome, kind, command } = deed;
  const isBare =
    outcome === "rejected" || outcome === "unknown" || (outcome === "ok" && command === "");
  const told = isBare ? "" : clip(tellingLine(deed), outcome === "ok" ? 150 : 240);
  if (outcome === "ok" && (!isWhole || kind === "landing")) return whatOf(deed);
  return `${whatOf(deed)} → ${ENDINGS[outcome]}${told === "" ? "" : `: ${told}`}`;
}

const ENDINGS = {
  ok: "ok",
  failed: "FAILED",
  unknown: "outcome unknown",
  rejected: "NOT run, rejected by the user",
} as const;

function whatOf(deed: Deed): string {
  const { kind, command, files, key, name, folder } = deed;
  const [file] = files;
  if (file !== undefined) return `${clip(name, 60)} ${clip(file.replace(folder, ""), 90)}`;
  if (command === "") return clip(key, 160);
  const link = kind === "landing" ? /https:\/\/\S{1,300}/.exec(resultText(deed))?.[0] : undefined;
  return `\`${clip(command, 110)}\`${link === undefined ? "" : ` → ${link}`}`;
}

/** The subject of a call, on one line. */
export function argumentsText({ args, raw }: Pick<Call, "args" | "raw">): string {
  const named =
    pathOf(args) || textAt(args, "pattern", "subject", "query", "description", "url", "prompt");
  if (named !== "" && Object.keys(args).length < 4) return named;
  const fields = Object.entries(args).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return fields.length === 0 ? raw : fields.join(", ");
}

/** The text of a result without text that the harness added. */
export function resultText({ result }: Pick<Call, "result">): string {
  const output = result.startsWith('{"output"') ? textAt(parseObject(result), "output") : "";
  return cleanText(output || result)
    .replace(
      /^(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Total output lines|Output):?.*\n+){1,8}/,
      "",
    )
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "");
}

const ERROR =
  /(?:^|[^\w-])(?:errors?\b(?! handling)|FAIL(?:ED|URE)?\b|--- FAIL|panic:|fatal:|✗|✖|AssertionError|Error:|undefined:|not found|No such|Traceback|denied|Exception\b|fehler|erro\b|错误|失败)/i;

/** The line of a result that shows the outcome. */
function tellingLine(call: Call): string {
  const lines = resultText(call)
    .split("\n")
    .map((line) => line.trim().slice(0, 500))
    .filter((line) => line.length > 1 && !/^Exit code \d+$|task failed|no test files/.test(line));
  const last = lines.at(-1) ?? "";
  if (call.outcome === "ok") {
    const all = lines.join("; ");
    if (/^[[{]/.test(all)) return all.length < 170 ? all : "";
    return all.length < 200 ? all : last;
  }
  return lines.find((line) => ERROR.test(line)) ?? last;
}

// ---- records ----

/** The objects of a JSON result: their name, and their fields on one line. */
export function recordsOf(call: Call): readonly { readonly key: string; readonly text: string }[] {
  const value = parseJson(call.result.trim().slice(0, 200_000));
  const about = Object.values(call.args).filter(isScalar).map(String);
  const all = Array.isArray(value) ? value : [value];
  return all.slice(0, 12).flatMap((one, index) => {
    const text = isObject(one) ? fieldsText(one, 0) : "";
    if (!isObject(one) || text.length < 8) return [];
    const [own] = Object.entries(one).flatMap(([name, field]) =>
      ID_NAME.test(name) && isScalar(field) ? [String(field)] : [],
    );
    const subject = own ?? about.find((word) => text.includes(word)) ?? about[0] ?? call.name;
    const key = all.length > 1 && own === undefined ? `${subject}/${index}` : subject;
    return [{ key: clip(key, 80), text }];
  });
}

const ID_NAME = /(?:^|_)id$|^id_|Id$|number$|^code$/;

/** Scalars to the third level, `name: value`, joined by commas. */
function fieldsText(object: JsonObject, depth: number): string {
  const fields = Object.entries(object)
    .slice(0, 40)
    .map(([key, value]) => [clip(key, 40), valueText(value, depth)] as const);
  return fields.flatMap(([key, text]) => (text === "" ? [] : [`${key}: ${text}`])).join(", ");
}

function valueText(value: JsonValue, depth: number): string {
  if (isScalar(value)) return clip(String(value), 160);
  if (depth >= 2) return "";
  if (isObject(value)) {
    const text = fieldsText(value, depth + 1);
    return text === "" ? "" : `{${text}}`;
  }
  if (!Array.isArray(value)) return "";
  const items = value.slice(0, 8).map((item) => valueText(item, depth + 1));
  const list = items.filter(Boolean).join("; ");
  return list === "" ? "" : `[${list}${value.length > 8 ? "; …" : ""}]`;
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return value !== "" && ["string", "number", "boolean"].includes(typeof value);
}

// ---- JSON ----

function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Parses a text as a JSON object; `{}` if it is not one. */
export function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the first of some fields that is a string. */
export function textAt(object: JsonObject, ...keys: readonly string[]): string {
  const found = keys
    .map((key) => object[key])
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found : "";
}
