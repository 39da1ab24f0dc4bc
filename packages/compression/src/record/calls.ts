import type { JsonObject, JsonValue } from "@agent-history/core";

import { isObject, parseJson, textAt } from "./json.ts";
import type { Call } from "./steps.ts";
import { cleanText, clip, oneLine } from "./text.ts";

/** The shell command of a call; empty where it runs none. */
export function commandOf({ name, args }: Call): string {
  if (EDITS.test(name)) return "";
  const command = args["command"] ?? args["cmd"] ?? args["script"];
  if (Array.isArray(command)) return String(command.at(-1) ?? "");
  return typeof command === "string" ? command : "";
}

const EDITS =
  /^(?:edit|write|multi_?edit|notebook_?edit|str_?replace|create_?file|write_?file|apply_?patch|update_?file)/i;

/** A command on one line: without changes of the folder, documents that it writes and redirections. */
export function bareCommand(command: string): string {
  return oneLine(
    cleanText(command)
      .slice(0, 4000)
      .replace(/^\s*\w+=\$\(/, "")
      .replace(/^\s*cd \S+ *(?:&&|;) */, "")
      .replace(/<<-?\s*['"]?(\w+)['"]?[\s\S]*?\n\1\b/g, "<<…")
      .replaceAll(" 2>&1", ""),
  );
}

/** The files that a call wrote to, as it names them. */
export function editedFiles(call: Call): readonly string[] {
  const named = EDITS.test(call.name)
    ? [textAt(call.args, "file_path", "path", "notebook_path", "filename", "file")]
    : [];
  const patch = call.raw.includes("*** ") ? patchOf(call) : "";
  const patched = [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.{1,300})$/gm)].map(
    ([, file = ""]) => file.trim(),
  );
  const written = [
    ...commandOf(call)
      .slice(0, 20_000)
      .matchAll(/(?:cat|tee) ?>?>? ?([\w./~-]{1,200}\.\w{1,10}) ?<</g),
  ].map(([, file = ""]) => file);
  return [...new Set([...named, ...patched, ...written])].filter(
    (file) => file !== "" && !file.startsWith("/tmp/"),
  );
}

function patchOf(call: Call): string {
  return textAt(call.args, "input", "patch") || commandOf(call) || call.raw.replaceAll("\\n", "\n");
}

/** The text of a result without what a harness wrote around it. */
export function resultText({ result }: Pick<Call, "result">): string {
  const text = cleanText(result);
  const outer = text.startsWith('{"output"') ? parseJson(result) : undefined;
  const output =
    isObject(outer) && typeof outer["output"] === "string" ? cleanText(outer["output"]) : text;
  return output
    .replace(
      /^(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Total output lines|Output):?.*\n+){1,8}/,
      "",
    )
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "");
}

const ERROR =
  /(?:^|[^\w-])(?:errors?\b(?! handling)|FAIL(?:ED|URE)?\b|--- FAIL|panic:|fatal:|✗|✖|AssertionError|Error:|undefined:|not found|No such|Traceback|denied|Exception\b|fehler|erro\b|错误|失败)/i;
const STRONG =
  /--- FAIL|AssertionError|panic:|error\b.*:|Error:|undefined:|_test\.\w+:\d+:|^(?:✗|✖|×|not ok|FAIL|E {2})\s?\S/;
const GOOD =
  /\b\d+ (?:tests? )?(?:passed|passing|issues?|errors?|files?|warnings?)\b|^ok\b|\bPASS\b|success|built in|✓|\bDone\b|https?:\/\/|^\[\S+ [0-9a-f]{7,}\]/i;

/** The line of a result that tells how a command went. */
export function tellingLine(call: Pick<Call, "result">, isFailed: boolean): string {
  const lines = resultText(call)
    .split("\n")
    .map((line) => line.trim().slice(0, 500))
    .filter((line) => line.length > 1 && !/^Exit code \d+$/.test(line));
  const isJson = /^[[{]/.test(lines[0] ?? "");
  if (!isFailed) {
    const all = lines.join("; ");
    if (lines.length > 1 && all.length < 200 && !isJson) return all;
    if (isJson) return all.length < 170 ? lines.join(" ") : "";
    return clip(lines.findLast((line) => GOOD.test(line)) ?? lines.at(-1) ?? "", 150);
  }
  const strong = lines.find(
    (line) => STRONG.test(line) && !/task failed|no test files|^FAIL\s+\S+\s+[\d.]+s$/.test(line),
  );
  const main =
    strong ??
    lines.find((line) => ERROR.test(line) && !/task failed/.test(line)) ??
    lines.at(-1) ??
    "";
  const isHead = /--- FAIL|^FAIL/.test(main);
  const next = isHead
    ? lines
        .slice(lines.indexOf(main) + 1)
        .find((line) => /:\d+:|expected|got|want|Error/i.test(line))
    : undefined;
  return clip(next === undefined ? main : `${main} | ${next}`, 240);
}

/** What a command checks, by its words. */
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

/** The kinds of checks that a command runs. */
export function checksOf(command: string): readonly string[] {
  const bare =
    command
      .split("<<")[0]
      ?.replace(/"[^"]*"|'[^']*'/g, "''")
      .slice(0, 300) ?? "";
  const kinds = CHECKS.filter(([, words]) => words.test(bare)).map(([kind]) => kind);
  // One command may test and lint; to build and run is a part of either.
  return kinds[0] === "test" && kinds.includes("lint") ? ["test", "lint"] : kinds.slice(0, 1);
}

const READS =
  /^\s*(?:git (?:status|log|diff|show|branch|remote|fetch|rev-parse|grep|ls|blame)|ls|cat|sed -n|head|tail|rg|grep|find|wc|echo|pwd|which|command -v|gh \w+ (?:view|list|diff|checks)|gh api(?! .*(?:-X|--method|-f ))|jq|curl|sleep|stat|file|tree|\S+ (?:\S+ )?(?:--?\S+ )?(?:status|list|show|view|search|explain|ready|auth|get|describe|logs?|help|contexts|whoami)|\S+(?: \S+){0,6} --(?:help|version))\b/;
const LANDS =
  /\bgit (?:commit|push|merge|rebase|checkout|switch|reset|revert|worktree add|tag|stash|cherry-pick|pull)\b|\bgh (?:pr|issue|release|repo) (?:create|comment|edit|merge|close|review)|\bgh api -X|\b(?:npm|cargo|pnpm) publish/;

/** Whether a command only looks. */
export function isLookup(command: string): boolean {
  return READS.test(command);
}

/** Whether a command commits, pushes or publishes. */
export function isLanding(command: string): boolean {
  return LANDS.test(command) && !/git stash list|checkout -- /.test(command);
}

/** The title of the commit that a command makes. */
export function commitTitle(command: string): string | undefined {
  const found = [
    ...command
      .slice(0, 20_000)
      .matchAll(/git commit\b[^\n]*?-m\s+(?:"\$\(cat <<'?"?EOF'?"?\n([^\n]+)|["']([^"'\n]+))/g),
  ];
  const last = found.at(-1);
  return last?.[1] ?? last?.[2];
}

/** The objects of a result that is JSON: what they are about, and their fields on one line. */
export function recordsOf(call: Call): readonly { readonly key: string; readonly text: string }[] {
  const value = parseJson(call.result.trim().slice(0, 200_000));
  const about = Object.values(call.args).filter(isScalar).map(String);
  const all = Array.isArray(value) ? value : [value];
  return all.slice(0, 12).flatMap((one, index) => {
    if (!isObject(one)) return [];
    const text = fieldsText(one, 0);
    if (text === "" || text.length < 8) return [];
    const own = Object.entries(one).flatMap(([name, field]) =>
      isIdName(name) && isScalar(field) ? [String(field)] : [],
    )[0];
    const subject = own ?? about.find((word) => text.includes(word)) ?? about[0] ?? call.name;
    const key = all.length > 1 && own === undefined ? `${subject}/${index}` : subject;
    return [{ key: clip(key, 80), text }];
  });
}

function isIdName(name: string): boolean {
  return /(?:^|_)id$|^id_|Id$|number$|^code$/.test(name);
}

/** Scalars first to third level, `name: value`, joined by commas. */
function fieldsText(object: JsonObject, depth: number): string {
  return Object.entries(object)
    .slice(0, 40)
    .flatMap(([key, value]) => {
      const text = valueText(value, depth);
      return text === "" ? [] : [`${clip(key, 40)}: ${text}`];
    })
    .join(", ");
}

function valueText(value: JsonValue, depth: number): string {
  if (isScalar(value)) return clip(String(value), 160);
  if (depth >= 2) return "";
  if (isObject(value)) {
    const text = fieldsText(value, depth + 1);
    return text === "" ? "" : `{${text}}`;
  }
  if (!Array.isArray(value) || value.length === 0) return "";
  const items = value
    .slice(0, 8)
    .map((item) => valueText(item, depth + 1))
    .filter(Boolean);
  return items.length === 0 ? "" : `[${items.join("; ")}${value.length > 8 ? "; …" : ""}]`;
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return (
    (typeof value === "string" && value !== "") ||
    typeof value === "number" ||
    typeof value === "boolean"
  );
}
