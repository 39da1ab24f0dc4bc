import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import { ENVIRONMENT_HELP } from "../providers/model-settings.ts";
import { roleWindows } from "../src/history/role-windows.ts";
import type { PlannerChoice } from "./choose-planners.ts";
import { MANAGERS, ORCHESTRATORS, WORKERS } from "./choose-planners.ts";

/** What the command line asks for. */
export type CliRequest =
  | { readonly kind: "run"; readonly options: CliOptions }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "misuse"; readonly message: string };

/** Options of the demo. */
export interface CliOptions extends PlannerChoice {
  /** One question; without it a session of three. */
  readonly question?: string;
  /** The folder; without it this repository. */
  readonly dir?: string;
  /** The name of the thread; without it a new one, or with `resume` the newest. */
  readonly thread?: string;
  /** Continues what the thread has left open. */
  readonly resume: boolean;
  /** Reads questions from the input, after the one given. */
  readonly chat: boolean;
  /** The windows in tokens: one number, or one for each role. */
  readonly window: readonly number[];
  /** Where the thread is kept. */
  readonly store?: string;
  /** How many workers work at a time. */
  readonly atOnce: number;
  /** Ends with a line for every call of the model. */
  readonly calls: boolean;
  /** Shows each call beside the same call with the whole thread. */
  readonly split: boolean;
  /** Where the page of this run is written. */
  readonly page?: string;
  /** Prints one JSON object for each thing that happens. */
  readonly json: boolean;
}

/** Reads the command line. */
export function parseArguments(args: readonly string[]): CliRequest {
  let text = "";
  const command = demoCommand().configureOutput({
    writeOut: (written) => (text += written),
    writeErr: (written) => (text += written),
  });
  try {
    command.parse([...args], { from: "user" });
    const [question] = command.processedArgs;
    const options = command.opts<CliOptions>();
    return {
      kind: "run",
      options: typeof question === "string" ? { ...options, question } : options,
    };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "help", text };
    return { kind: "misuse", message: text.trim() };
  }
}

function demoCommand(): Command {
  return new Command("demo")
    .description(
      "Answers questions about a folder of documents by an orchestrator, its managers and their workers, and shows what each of them saw.",
    )
    .argument("[question]", "what you want to know; without it, a session of three questions")
    .option("--dir <path>", "the folder; default: this repository")
    .option("--thread <name>", "the name of the thread; default: a new one")
    .option("--resume", "resumes a thread, interrupted turns first", false)
    .option("--chat", "reads questions from the input until an empty line", false)
    .addOption(
      new Option(
        "--window <tokens>",
        "the context windows: one number, or orchestrator,manager,worker",
      )
        .argParser(parseWindow)
        .default([8_000, 4_000, 3_000], "8000,4000,3000"),
    )
    .option("--store <location>", "memory, sqlite:PATH or redis://…; default: REDIS_URL or a file")
    .addOption(
      new Option("--at-once <count>", "how many workers run concurrently")
        .argParser(parseCount)
        .default(Infinity, "all"),
    )
    .addOption(planner("--orchestrator <name>", "who plans an answer", ORCHESTRATORS))
    .addOption(planner("--manager <name>", "who plans a phase", MANAGERS))
    .addOption(planner("--worker <name>", "who plans a worker's moves", WORKERS))
    .option("--calls", "a line for every model call at the end, not for each role and turn", false)
    .option("--split", "shows each call beside the same call with the whole thread", false)
    .option("--page <file>", "writes what each call was sent, and why, as an HTML page")
    .option("--json", "one JSON object a line for each event", false)
    .helpOption("-h, --help", "this text")
    .addHelpText("after", environmentHelp())
    .allowExcessArguments(false)
    .exitOverride();
}

function environmentHelp(): string {
  const lines = [...ENVIRONMENT_HELP, ["REDIS_URL", "keeps threads in Redis"]];
  const width = Math.max(...lines.map(([name = ""]) => name.length));
  const rows = lines.map(([name = "", meaning = ""]) => `  ${name.padEnd(width)}  ${meaning}`);
  return `\nEnvironment:\n${rows.join("\n")}`;
}

function planner(flags: string, description: string, names: readonly string[]): Option {
  return new Option(flags, description).choices([...names]).default(names[0]);
}

function parseWindow(text: string): readonly number[] {
  const tokens = text.split(",").map(Number);
  try {
    roleWindows(tokens);
  } catch {
    throw new InvalidArgumentError("Expected a number of tokens, or three: 8000,4000,3000.");
  }
  return tokens;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Expected a whole number from 1.");
}
