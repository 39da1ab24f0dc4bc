import { existsSync, readFileSync } from "node:fs";

import { isPriceTable, LIST_PRICES } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import { parsed } from "./cli-context.ts";
import type { CliContext } from "./cli-context.ts";
import { APIS, FILE_FORMATS } from "./messages/file-formats.ts";
import type { Answer } from "./sessions.ts";

/** Runs the command line (arguments without the program name) and returns its exit code. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("agent-history")
    .description(
      "Explains sessions of coding agents, and trims, repairs and converts messages. Nothing leaves this machine.",
    )
    .version(context.version, "--version", "print the version")
    .helpOption("-h, --help", "show help; for one command, e.g. agent-history cache --help")
    .helpCommand(false)
    .showHelpAfterError("To list the commands and options, run agent-history --help.")
    .exitOverride()
    .configureOutput({
      writeOut: context.write,
      writeErr: context.tell,
      getOutHelpWidth: () => context.columns,
      getErrHelpWidth: () => context.columns,
    })
    // Every command has options.
    .configureHelp({
      subcommandTerm: (one) => `${one.name()} ${one.usage()}`.replace(" [options]", ""),
    });
  let exitCode = 0;
  const [word = "-"] = args;
  for (const { name, about = "", takes, options, load, group } of VERBS) {
    if (group !== undefined) program.commandsGroup(group);
    const hidden = about === "";
    const isDefault = hidden && word.startsWith("-");
    const command = program.command(name, { hidden, isDefault }).description(about);
    if (takes !== undefined) command.argument(takes[0], takes[1]);
    for (const one of options) command.addOption(one);
    command.action(async () => {
      const run = await load();
      const result = await run(context, command.args[0], command.opts<never>());
      if (typeof result === "number") exitCode = result;
      else if (result) context.write(textOf(result, command.opts()["json"] === true));
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
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

/** A command. It returns an answer or an exit code, or nothing if it has printed already. */
interface Verb {
  readonly name: string;
  /** The help text. Default: hidden, and run if no command is named. */
  readonly about?: string;
  readonly takes?: readonly [name: string, what: string];
  readonly options: readonly Option[];
  /** Loads the code of the command on demand. */
  readonly load: () => Promise<
    (
      context: CliContext,
      given: string | undefined,
      options: never,
    ) => Promise<Answer | number | void>
  >;
  /** The help heading above this command and those that follow. */
  readonly group?: string;
}

function option(flags: string, what: string, choices?: readonly string[]): Option {
  const made = new Option(flags, what);
  return choices ? made.choices(choices) : made;
}

function count(flags: string, what: string, byDefault?: number): Option {
  return option(flags, what).argParser(readCount).default(byDefault);
}

function readCount(typed: string): number {
  const read = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(read) && read >= 0) return read;
  throw new InvalidArgumentError("Expected a non-negative integer.");
}

function readPrices(path: string): PriceTable {
  const table = existsSync(path) ? parsed(readFileSync(path, "utf8")) : undefined;
  if (isPriceTable(table)) return table;
  throw new InvalidArgumentError(
    "Expected a file with JSON of the form { asOf, models: { NAME: { input, output, cacheRead, cacheWrite, cacheWrite1h } } }, in dollars per million tokens.",
  );
}

const DIR = option(
  "--dir <folder>",
  "read the sessions in this folder instead of this machine's own",
);
const SESSION = "session id or its first characters, or a file; default: ";
const ALL = ["[session]", `${SESSION}all sessions`] as const;

function readsSessions(limit = 10): readonly Option[] {
  return [
    option("--json", "print JSON"),
    option("--redact", "hide texts, and names of files, folders and sessions"),
    DIR,
    option("--prices <file>", "JSON file with a table of prices")
      .argParser(readPrices)
      .default(LIST_PRICES, `list prices as of ${LIST_PRICES.asOf}`),
    count("--limit <n>", "maximum number of rows in a table", limit),
  ];
}

const FILE = [
  "[file]",
  "JSON, JSON Lines or a session (file or id); default: standard input",
] as const;
const READ = [
  option("--from <format>", "input format; default: detected", FILE_FORMATS),
  option("--json", "print a JSON object with the result and what was found or changed"),
];
const HOSTS = "openai, compatible, deepseek, gemini, groq, mistral, openrouter, vllm".split(", ");
const RULES = [
  option("--for <api>", "use the rules of this API", APIS),
  option("--host <name>", "the server, for an OpenAI API; default: openai", HOSTS),
];

const VERBS: readonly Verb[] = [
  {
    group: "Sessions (without a command: the newest ones, and wasted tokens):",
    name: "overview",
    options: readsSessions(),
    load: async () => (await import("./commands/list-sessions.ts")).showOverview,
  },
  {
    name: "sessions",
    about: "list all sessions by project, with turns, tokens and cost",
    options: readsSessions(25),
    load: async () => (await import("./commands/list-sessions.ts")).listSessions,
  },
  {
    name: "tokens",
    about: "show where the tokens go: by role, tool, file and turn",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  },
  {
    name: "cache",
    about: "show what broke the prompt cache, why, and what it cost",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  },
  {
    name: "lost",
    about: "show what summaries left out although it was needed later",
    takes: ALL,
    options: readsSessions(),
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  },
  {
    name: "replay",
    about: "compare the prompts that were sent with those of a fit",
    takes: ALL,
    options: [...readsSessions(), count("--window <tokens>", "context window in tokens", 100_000)],
    load: async () => (await import("./commands/replay-sessions.ts")).replaySessions,
  },
  {
    name: "open",
    about: "show a session as a page in the browser",
    takes: ["[session]", `${SESSION}the newest session`],
    options: [
      option("--html <file>", "write the page to this file; default: a temporary file"),
      option("--no-open", "write the page without opening a browser"),
      option("--what-if", "include an exact token counter for the what-if view (2 MB)"),
      option("--serve", "serve the page on this machine and update it as the session grows"),
      DIR,
    ],
    load: async () => (await import("./commands/open-session.ts")).openSession,
  },
  {
    group: "Messages (a file or a pipe):",
    name: "fit",
    about: "trim messages to a model's window, and repair them",
    takes: FILE,
    options: [
      ...READ,
      option(
        "--model <name>",
        "model, for its window and token counter; default: the request's model",
      ),
      count("--window <tokens>", "context window in tokens; default: the model's"),
      count("--reserve <tokens>", "tokens reserved for the answer; default: the model's"),
      option(
        "--tools <file>",
        "JSON file with the request's tools, in the SDK's format; their tokens count",
      ),
      option("--plan <file>", "continue from the plan in this file, and write the new plan to it"),
      option("--recall", "quote old messages that are relevant to the newest question"),
    ],
    load: async () => (await import("./commands/edit-messages.ts")).fitMessages,
  },
  {
    name: "check",
    about: "report faults such as calls without results; exit code 1 if any",
    takes: FILE,
    options: [...READ, ...RULES],
    load: async () => (await import("./commands/repair-messages.ts")).checkMessages,
  },
  {
    name: "repair",
    about: "repair messages, or a session so that its tool can resume it",
    takes: FILE,
    options: [
      ...READ,
      ...RULES,
      option("--write", "write the repaired session to its file, and keep a backup"),
    ],
    load: async () => (await import("./commands/repair-messages.ts")).repairMessages,
  },
  {
    name: "compress",
    about: "replace old messages with a summary, written without a model",
    takes: FILE,
    options: [
      ...READ,
      option("--model <name>", "model, for its token counter; default: tokens are estimated"),
      count("--tail <tokens>", "tokens of the newest messages that stay word for word", 1000),
      count(
        "--max <tokens>",
        "maximum tokens of the summary; default: a fifth of what it replaces",
      ),
    ],
    load: async () => (await import("./commands/edit-messages.ts")).compressMessages,
  },
  {
    name: "convert",
    about: "convert messages or a session to another format",
    takes: FILE,
    options: [
      ...READ,
      option("--to <format>", "output format (required)", FILE_FORMATS).makeOptionMandatory(),
    ],
    load: async () => (await import("./commands/edit-messages.ts")).convertMessages,
  },
];
