import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import type { CliContext } from "./cli-context.ts";
import { API_FORMATS, FILE_FORMATS, HOSTS } from "./messages/file-formats.ts";
import type { Answer } from "./sessions.ts";

/** Runs the command line (arguments without the program name) and returns its exit code. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("agent-history")
    .description(
      "Explains sessions of coding agents, and trims, repairs and converts messages. Nothing leaves this machine.",
    )
    .usage("[command] [options]")
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
    for (const [flags, what, { byDefault, choices, read, isRequired = false } = {}] of options) {
      const option = new Option(flags, what).default(byDefault).makeOptionMandatory(isRequired);
      if (choices) option.choices(choices);
      if (read) option.argParser(read);
      command.addOption(option);
    }
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

type VerbOption = readonly [flags: string, what: string, rules?: OptionRules];

interface OptionRules {
  readonly byDefault?: number;
  /** The allowed values. */
  readonly choices?: readonly string[];
  readonly read?: (typed: string) => number;
  readonly isRequired?: boolean;
}

function readCount(typed: string): number {
  const count = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("Expected a non-negative integer.");
}

const COUNT: OptionRules = { read: readCount };
const FORMAT: OptionRules = { choices: FILE_FORMATS };

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
  "read the sessions in this folder instead of this machine's own",
];
const SESSION = "session id or its first characters, or a file; default: ";
const ALL = ["session", `${SESSION}all sessions`] as const;

function readsSessions(limit = 10): readonly VerbOption[] {
  return [
    ["--json", "print JSON"],
    ["--redact", "hide texts, and names of files, folders and sessions"],
    DIR,
    ["--prices <file>", "read prices from this JSON file instead of the built-in table"],
    ["--limit <n>", "maximum number of rows in a table", { ...COUNT, byDefault: limit }],
  ];
}

const FILE = ["file", "JSON, JSON Lines or a session; default: standard input"] as const;
const READ: readonly VerbOption[] = [
  ["--from <format>", "input format; default: detected", FORMAT],
  ["--json", "print a JSON object with the result and what was found or changed"],
];
const MESSAGES: readonly VerbOption[] = [
  ...READ,
  ["--to <format>", "output format; default: the input format", FORMAT],
];
const RULES: readonly VerbOption[] = [
  ["--for <api>", "use the rules of this API", { choices: Object.keys(API_FORMATS) }],
  ["--host <name>", "the server, for an OpenAI API; default: openai", { choices: HOSTS }],
];

const VERBS: readonly Verb[] = [
  {
    group: "Sessions (without a command: the newest ones, and wasted tokens):",
    name: "overview",
    options: readsSessions(),
    load: async () => (await import("./commands/show-overview.ts")).showOverview,
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
    about: "compare the prompts that were sent with those of our fit",
    takes: ALL,
    options: [
      ...readsSessions(),
      ["--window <tokens>", "context window in tokens", { ...COUNT, byDefault: 100_000 }],
    ],
    load: async () => (await import("./commands/replay-sessions.ts")).replaySessions,
  },
  {
    name: "open",
    about: "show a session as a page in the browser",
    takes: ["session", `${SESSION}the newest session`],
    options: [
      ["--html <file>", "write the page to this file; default: a temporary file"],
      ["--no-open", "write the page without opening a browser"],
      ["--what-if", "include an exact token counter for the what-if view (2 MB)"],
      ["--serve", "serve the page on this machine and update it as the session grows"],
      DIR,
    ],
    load: async () => (await import("./commands/open-session.ts")).openSession,
  },
  {
    group: "Messages (a file or a pipe):",
    name: "fit",
    about: "trim messages to a model's context window",
    takes: FILE,
    options: [
      ...MESSAGES,
      ["--model <name>", "model, for its window and token counter; default: the request's model"],
      ["--window <tokens>", "context window in tokens; default: the model's", COUNT],
      ["--estimate", "estimate tokens if the model's tokenizer is unknown"],
      ["--reserve <tokens>", "tokens reserved for the answer; default: the model's", COUNT],
      [
        "--tools <file>",
        "JSON file with the request's tools, in the SDK's format; their tokens count",
      ],
      ["--plan <file>", "continue from the plan in this file, and write the new plan to it"],
      ["--recall", "quote old messages that are relevant to the newest question"],
    ],
    load: async () => (await import("./commands/fit-messages.ts")).fitMessages,
  },
  {
    name: "check",
    about: "report faults such as calls without results; exit code 1 if any",
    takes: FILE,
    options: [
      ...READ,
      ...RULES,
      ["--before <file>", "the original messages; also report what was lost or changed"],
    ],
    load: async () => (await import("./commands/check-messages.ts")).checkMessages,
  },
  {
    name: "repair",
    about: "repair messages, or a session so that its tool can resume it",
    takes: FILE,
    options: [
      ...MESSAGES,
      ...RULES,
      ["--write", "write the repaired session to its file, and keep a backup"],
    ],
    load: async () => (await import("./commands/repair-messages.ts")).repairMessages,
  },
  {
    name: "compress",
    about: "replace old messages with a summary, written without a model",
    takes: FILE,
    options: [
      ...MESSAGES,
      ["--model <name>", "model, for its token counter; default: tokens are estimated"],
      [
        "--tail <tokens>",
        "tokens of newest messages that stay unchanged",
        { ...COUNT, byDefault: 1000 },
      ],
      [
        "--max <tokens>",
        "maximum tokens of the summary; default: a fifth of what it replaces",
        COUNT,
      ],
    ],
    load: async () => (await import("./commands/compress-messages.ts")).compressMessages,
  },
  {
    name: "convert",
    about: "convert messages or a session to another format",
    takes: FILE,
    options: [...READ, ["--to <format>", "output format", { ...FORMAT, isRequired: true }]],
    load: async () => (await import("./commands/convert-messages.ts")).convertMessages,
  },
];
