import { Command, CommanderError, Option } from "commander";

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
      "Answers questions about a folder of documents by an orchestrator, its managers and their workers, and shows what each of them was shown.",
    )
    .argument("[question]", "what you want to know; without it, a session of three questions")
    .option("--dir <path>", "the folder; default: this repository")
    .addOption(planner("--orchestrator <name>", "who plans an answer", ORCHESTRATORS))
    .addOption(planner("--manager <name>", "who plans a phase", MANAGERS))
    .addOption(planner("--worker <name>", "who plans a worker's moves", WORKERS))
    .option("--json", "one JSON object on a line for each thing that happens", false)
    .helpOption("-h, --help", "this text")
    .allowExcessArguments(false)
    .exitOverride();
}

function planner(flags: string, description: string, names: readonly string[]): Option {
  return new Option(flags, description).choices([...names]).default(names[0]);
}
