import { Command, CommanderError } from "commander";

import type { CliContext } from "./cli-context.ts";
import { API_FORMATS, FILE_FORMATS } from "./messages/file-formats.ts";
import type { Answer } from "./sessions.ts";

/** Runs the command line (arguments without the program name) and returns its exit code. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("agent-history")
    .description(
      "Explains coding agents' sessions, and fits and repairs messages. All stays on this machine.",
    )
    .usage("[command] [options]")
    .version(context.version, "--version", "prints the version")
    .helpOption("-h, --help", "explains a command: agent-history cache --help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: context.write,
      writeErr: context.tell,
      getOutHelpWidth: () => context.columns,
      getErrHelpWidth: () => context.columns,
    })
    .configureHelp({
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map((one) => `[${one.name()}]`)].join(" "),
    });
  let exitCode = 0;
  const [word = "-"] = args;
  for (const { name, about, takes, options, load, group } of VERBS) {
    if (group !== undefined) program.commandsGroup(group);
    const isHidden = about === undefined;
    const command = program.command(name, {
      hidden: isHidden,
      isDefault: isHidden && word.startsWith("-"),
    });
    if (about !== undefined) command.description(about);
    if (takes !== undefined) command.argument(`[${takes[0]}]`, takes[1]);
    for (const [flags, what, byDefault] of options) command.option(flags, what, byDefault);
    command.action(async () => {
      const run = await load();
      const result = await run(context, command.args[0], command.opts<never>());
      if (typeof result === "number") exitCode = result;
      else if (result !== undefined) context.write(textOf(result, command.opts()["json"] === true));
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

/** Formats an answer as JSON or as a screen. */
function textOf({ json, screen }: Answer, isJson: boolean): string {
  if (isJson) return `${JSON.stringify(json, undefined, 2)}\n`;
  return screen()
    .filter((part) => part !== undefined)
    .join("\n");
}

type VerbOption = readonly [flags: string, what: string, byDefault?: string];

type Run = (
  context: CliContext,
  given: string | undefined,
  options: never,
) => Promise<Answer | number | void>;

/** A command. It returns an answer or an exit code, or nothing if it has printed already. */
interface Verb {
  readonly name: string;
  /** The help text. Default: hidden, and run if no command is named. */
  readonly about?: string;
  readonly takes?: readonly [name: string, what: string];
  readonly options: readonly VerbOption[];
  /** Loads the code of the command on demand. */
  readonly load: () => Promise<Run>;
  /** The help heading above this command and those that follow. */
  readonly group?: string;
}

const DIR: VerbOption = [
  "--dir <folder>",
  "reads the sessions in a folder instead of those of this machine",
];
const SESSION = "id, its beginning, or a file; default: ";
const ALL = ["session", `${SESSION}all`] as const;

function readsSessions(limit = "10"): readonly VerbOption[] {
  return [
    ["--json", "prints JSON"],
    ["--redact", "hides texts, names of files, folders and sessions"],
    DIR,
    ["--prices <file>", "a JSON table of prices instead of the built-in one"],
    ["--limit <n>", "how many rows a table has", limit],
  ];
}

const FILE = ["file", "JSON, JSON lines or a session; default: standard input"] as const;
const MESSAGES: readonly VerbOption[] = [
  [
    "--from <format>",
    `the format of the messages: ${FILE_FORMATS.join(", ")}; default: recognized`,
  ],
  ["--to <format>", "the format to write; default: that of the messages"],
  ["--json", "prints one JSON object, with what was found or done beside the messages"],
];
const RULES: readonly VerbOption[] = [
  ["--for <api>", `what an API would refuse: ${Object.keys(API_FORMATS).join(", ")}`],
  ["--host <name>", "who serves OpenAI's format; default: openai"],
];

const VERBS: readonly Verb[] = [
  {
    group: "Sessions (default: the newest, and what was wasted):",
    name: "overview",
    options: readsSessions(),
    load: async () => (await import("./commands/show-overview.ts")).showOverview,
  },
  {
    name: "sessions",
    about: "all sessions by project: turns, tokens, cost",
    options: readsSessions("25"),
    load: async () => (await import("./commands/list-sessions.ts")).listSessions,
  },
  {
    name: "tokens",
    about: "where the tokens go: by role, tool, file and turn",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  },
  {
    name: "cache",
    about: "what broke the prompt cache, why, and what it cost",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  },
  {
    name: "lost",
    about: "what summaries left out that was needed later",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  },
  {
    name: "replay",
    about: "what our fit would have sent, beside what was sent",
    takes: ALL,
    options: [...readsSessions(), ["--window <tokens>", "the context window", "100000"]],
    load: async () => (await import("./commands/replay-sessions.ts")).replaySessions,
  },
  {
    name: "open",
    about: "a session as a page in the browser",
    takes: ["session", `${SESSION}the newest`],
    options: [
      ["--html <file>", "where; default: a file in the folder for temporary files"],
      ["--no-open", "writes the page and opens no browser"],
      ["--what-if", "lets the page count exactly what another fit would shorten; adds 2 MB"],
      ["--serve", "serves the page on this machine instead, and follows the session"],
      DIR,
    ],
    load: async () => (await import("./commands/open-session.ts")).openSession,
  },
  {
    group: "Messages (a file or a pipe):",
    name: "fit",
    about: "trims messages to the context window of a model",
    takes: FILE,
    options: [
      ...MESSAGES,
      ["--model <name>", "gives window and counter; default: the model of the request"],
      ["--window <tokens>", "the context window; default: the model's"],
      ["--estimate", "estimates tokens of a model whose tokenizer is not known"],
      ["--reserve <tokens>", "kept free for the answer; default: the model's"],
      ["--tools <file>", "the tools of the request, as its SDK takes them: they count"],
      ["--plan <file>", "continues the plan in the file, and writes the new one there"],
      ["--recall", "quotes old messages that help to answer the newest question"],
    ],
    load: async () => (await import("./commands/fit-messages.ts")).fitMessages,
  },
  {
    name: "check",
    about: "what is broken: calls without results, repeated ids; exit code 1",
    takes: FILE,
    options: [
      ...MESSAGES,
      ...RULES,
      ["--before <file>", "what the messages were made from: says what was lost or changed"],
    ],
    load: async () => (await import("./commands/check-messages.ts")).checkMessages,
  },
  {
    name: "repair",
    about: "repairs messages, or a session that its tool is to resume",
    takes: FILE,
    options: [
      ...MESSAGES,
      ...RULES,
      ["--write", "writes a session to its file, and keeps the original beside it"],
    ],
    load: async () => (await import("./commands/repair-messages.ts")).repairMessages,
  },
  {
    name: "compress",
    about: "replaces old messages by a summary, made without a model",
    takes: FILE,
    options: [
      ...MESSAGES,
      ["--model <name>", "whose tokens are counted; default: an estimate"],
      ["--tail <tokens>", "the newest messages that stay word for word", "1000"],
      ["--max <tokens>", "the longest summary; default: a fifth of what it covers"],
    ],
    load: async () => (await import("./commands/compress-messages.ts")).compressMessages,
  },
  {
    name: "convert",
    about: "writes messages, or a session, in another format",
    takes: FILE,
    options: MESSAGES,
    load: async () => (await import("./commands/convert-messages.ts")).convertMessages,
  },
];
