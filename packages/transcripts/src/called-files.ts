import type { HistoryEntry, JsonObject, ToolCall } from "@agent-history/core";
import { isJsonObject, parseJson, textOf } from "@agent-history/format-kit";

/** A file that a tool call names, as written in the call. */
export interface CalledFile {
  readonly path: string;
  readonly callId: string;
  readonly toolName: string;
  /** Whether the call only reads it. */
  readonly isRead: boolean;
}

/**
 * Returns the files that an action's calls name: in the inputs `file_path`, `path` and `notebook_path`, in the headers of patches, and in shell commands. In a
 * command, a word that ends like a file name is a file; here-documents and commit messages are ignored.
 *
 * @example
 * ```ts
 * import { action } from "@agent-history/core";
 * import { calledFiles } from "@agent-history/transcripts";
 *
 * const call = { id: "c1", name: "Bash", arguments: '{"command":"cat src/cart.ts | head"}' };
 * calledFiles(action({ toolCalls: [call] })).map(({ path }) => path);
 * // => ["src/cart.ts"]
 * ```
 */
export function calledFiles(entry: HistoryEntry): readonly CalledFile[] {
  return entry.type === "action" ? entry.toolCalls.flatMap(filesOfCall) : [];
}

function filesOfCall(call: ToolCall): readonly CalledFile[] {
  const { id: callId, name: toolName } = call;
  const input = callInput(call);
  const command = callCommand(call);
  const given = INPUTS.flatMap((key) => textOf(input[key]) ?? []).filter(isPath);
  const patches = [call.arguments, textOf(input["input"]) ?? "", command];
  const patched = patches.flatMap((text) =>
    [...text.matchAll(PATCHED)].map(([, path = ""]) => path),
  );
  const readsInput = READERS.test(toolName);
  const readsCommand = READING.test(command);
  return [
    ...given.map((path) => ({ path, callId, toolName, isRead: readsInput })),
    ...patched.map((path) => ({ path, callId, toolName, isRead: false })),
    ...fileWords(bareCommand(command)).map((path) => ({
      path,
      callId,
      toolName,
      isRead: readsCommand,
    })),
  ];
}

const INPUTS = ["file_path", "path", "notebook_path"];
const READERS = /^(?:read|view|open|cat|notebookread|read_file|view_file)/i;
const READING = /^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|sed -n|head|tail|less|nl|bat)\s/;
const PATCHED = /\*\*\* (?:Add|Update|Delete) File: ([^\n\r"\\]+)/g;

/** Returns whether a path names a file; `.` and the like do not. */
function isPath(path: string): boolean {
  return !/^[./~]*$/.test(path);
}

/** Returns the input of a call; empty if it is not an object. */
export function callInput(call: ToolCall): JsonObject {
  const input = parseJson(call.arguments);
  return isJsonObject(input) ? input : {};
}

/** Returns the command line of a shell call; empty for other tools. */
export function callCommand(call: ToolCall): string {
  if (!SHELLS.test(call.name)) return "";
  const { command, cmd } = callInput(call);
  const said = command ?? cmd;
  if (Array.isArray(said)) return said.flatMap((word) => textOf(word) ?? []).join(" ");
  return textOf(said) ?? "";
}

/**
 * Returns the purpose of a call on one line: its command, path, pattern, query or URL, else its arguments.
 *
 * @example
 * ```ts
 * import { callTitle } from "@agent-history/transcripts";
 *
 * callTitle({ id: "c1", name: "Bash", arguments: '{"command":"npm test"}' });
 * // => "npm test"
 * ```
 */
export function callTitle(call: ToolCall): string {
  const input = callInput(call);
  const named = TITLES.map((key) => textOf(input[key]) ?? "").find((text) => text.trim() !== "");
  return (callCommand(call) || named || call.arguments)
    .slice(0, 200)
    .replaceAll(/\s+/g, " ")
    .trim();
}

const TITLES = [
  "file_path",
  "path",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "prompt",
  "description",
];
/**
 * Stores the titles of an entry's calls by call id. Pass entries in order. Codex continues a command under the session id in the
 * command's first result; such calls get the command's title.
 *
 * @param folder - A working directory that titles do not repeat.
 */
export function noteCallTitles(
  titles: Map<string, string>,
  entry: HistoryEntry,
  folder?: string,
): void {
  if (entry.type === "action") {
    for (const call of entry.toolCalls) {
      const session = callInput(call)["session_id"];
      const command = titles.get(`session ${JSON.stringify(session)}`);
      titles.set(call.id, command ?? callTitle(call).replace(`${folder}/`, ""));
    }
  }
  if (entry.type !== "observation" || typeof entry.content !== "string") return;
  const session = COMMAND_SESSION.exec(entry.content.slice(0, 300))?.[1];
  const command = titles.get(entry.callId);
  if (session !== undefined && command !== undefined) titles.set(`session ${session}`, command);
}

const COMMAND_SESSION = /^Process running with session ID (\d+)/m;
const SHELLS = /^(?:bash|shell|exec_command|local_shell|powershell|run_command|run_in_terminal)/i;
const HEREDOC = /<<-?\s*['"]?(\w+)['"]?[^\n]*\n[\s\S]*?\n\s*\1\b/g;
const MESSAGE = /\s-m\s+("[^"]*"|'[^']*')/g;

/** Removes here-documents and messages from a command. */
export function bareCommand(command: string): string {
  return command.replace(HEREDOC, " ").replace(MESSAGE, " ");
}

const ENDING =
  /^(?:\.?[\w@+-][\w.@+-]*)?\.(?:astro|avif|bash|bat|bats|c|cc|cfg|cjs|conf|cpp|cs|csproj|css|csv|cts|dart|db|diff|env|ex|exs|fish|gif|gitignore|go|gql|gradle|graphql|h|hpp|html?|ini|ipynb|java|jpe?g|jsx?|jsonc?|jsonl|kt|less|lock|log|lua|mdx?|mjs|mod|mts|patch|php|plist|png|prisma|proto|ps1|py|rb|rs|rst|sass|scala|scss|sh|sln|snap|sql|sum|svelte|svg|swift|tape|template|tf|toml|tsx?|txt|vue|xml|ya?ml|zsh)$|^(?:Makefile|Dockerfile|LICENSE|CODEOWNERS|Gemfile|Rakefile|Procfile|Justfile|justfile)$/;

/** Returns the words of a text that end like a file name, in order. */
export function fileWords(text: string): readonly string[] {
  const words = text.split(/[\s'"`;|&()<>=,:]+/).map((word) => word.replace(/^@|[.]+$/g, ""));
  return words.filter((word) => !/[*{}[\]$?\\!#^%]|\/\//.test(word) && ENDING.test(baseName(word)));
}

/** Returns the last part of a path. */
export function baseName(path: string): string {
  return path.replace(/\/+$/, "").replace(/^.*\//s, "");
}
