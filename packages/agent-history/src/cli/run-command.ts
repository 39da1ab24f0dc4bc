import { existsSync, readFileSync } from "node:fs";

import { isPriceTable, LIST_PRICES } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import { jsonText, parsed } from "./cli-context.ts";
import type { Answer, CliContext } from "./cli-context.ts";
import { FILE_FORMATS } from "./messages/file-formats.ts";

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
  for (const { name, about, takes, options, load, group } of VERBS) {
    program.commandsGroup(group);
    const isDefault = name === "sessions" && word.startsWith("-");
    const command = program
      .command(name, { isDefault })
      .description(about)
      .argument(takes[0], takes[1]);
    for (const one of options) command.addOption(one);
    command.action(async () => {
      const run = await load();
      const answer = await run(context, command.args[0], command.opts<never>());
      if (answer === undefined) return;
      const isJson = command.opts()["json"] === true;
      context.write(isJson ? jsonText(answer.json) : screenText(answer));
      exitCode = answer.exitCode ?? 0;
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

function screenText({ screen }: Answer): string {
  const parts = screen().filter((part) => part !== undefined);
  return parts.join("\n");
}

/** A command. It returns an answer, or nothing if it has printed already. */
interface Verb {
  readonly name: string;
  /** The help text. */
  readonly about: string;
  readonly takes: readonly [name: string, what: string];
  readonly options: readonly Option[];
  /** Loads the code of the command on demand. */
  readonly load: () => Promise<
    (context: CliContext, given: string | undefined, options: never) => Promise<Answer | void>
  >;
  /** The help heading above this command. */
  readonly group: string;
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
const REPORT = {
  group: "Sessions (without a command: sessions):",
  takes: ["[session]", `${SESSION}all sessions`],
  options: [
    option("--json", "print JSON"),
    DIR,
    option("--prices <file>", "JSON file with a table of prices")
      .argParser(readPrices)
      .default(LIST_PRICES, `list prices as of ${LIST_PRICES.asOf}`),
    count("--limit <n>", "maximum number of rows in a table", 10),
  ],
} as const;

const READ = [
  option("--from <format>", "input format; default: detected", FILE_FORMATS),
  option("--json", "print a JSON object with the result and what was found or changed"),
];
const HOSTS = "openai, compatible, deepseek, gemini, groq, mistral, openrouter, vllm".split(", ");
const MESSAGES = {
  group: "Messages (a file or a pipe):",
  takes: ["[file]", "JSON, JSON Lines or a session (file or id); default: standard input"],
  options: [
    ...READ,
    option("--for <format>", "the format whose rules apply; default: the input's", FILE_FORMATS),
    option("--host <name>", "the server, for an OpenAI API; default: openai", HOSTS),
  ],
} as const;

const VERBS: readonly Verb[] = [
  {
    ...REPORT,
    name: "sessions",
    about: "list the newest sessions by project, with turns, tokens and cost",
    load: async () => (await import("./commands/list-sessions.ts")).listSessions,
  },
  {
    ...REPORT,
    name: "tokens",
    about: "show where the tokens go: by role, tool, file and turn",
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  },
  {
    ...REPORT,
    name: "cache",
    about: "show what broke the prompt cache, why, and what it cost",
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  },
  {
    ...REPORT,
    name: "lost",
    about: "show what summaries left out although it was needed later",
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  },
  {
    ...REPORT,
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
    ...MESSAGES,
    name: "check",
    about: "report what an API would refuse; exit code 1 if anything",
    load: async () => (await import("./commands/repair-messages.ts")).checkMessages,
  },
  {
    ...MESSAGES,
    name: "repair",
    about: "repair messages, convert them (--for), or make a session resumable",
    options: [
      ...MESSAGES.options,
      option("--write", "write the repaired session to its file, and keep a backup"),
    ],
    load: async () => (await import("./commands/repair-messages.ts")).repairMessages,
  },
  {
    ...MESSAGES,
    name: "fit",
    about: "trim messages to a model's window, and repair them",
    options: [
      ...READ,
      option("--model <name>", "model, for window and counter; default: the request's model"),
      count("--window <tokens>", "context window in tokens; default: the model's"),
      count("--reserve <tokens>", "tokens reserved for the answer; default: the model's"),
      option("--recall", "quote old messages that are relevant to the newest question"),
    ],
    load: async () => (await import("./commands/fit-messages.ts")).fitMessages,
  },
];
