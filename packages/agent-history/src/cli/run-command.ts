import { Command, CommanderError } from "commander";

import type { CliContext } from "./cli-context.ts";
import { addSessionCommands } from "./session-commands.ts";

/** Runs the command line, without the name of the program, and returns its exit code. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("agent-history")
    .description("Explains the sessions of coding agents on this machine. Nothing leaves it.")
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: context.tell })
    .addHelpText("after", EXAMPLES);
  addSessionCommands(program, context);
  program
    .command("open")
    .argument("[session]")
    .description("draws a session as a page in the browser: not in this version yet")
    .action(() => program.error(NO_PAGE));
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

const EXAMPLES = `
Without a command: sessions. Examples:
  agent-history cache
  agent-history tokens 3f2a --json`;

const NO_PAGE =
  "Pages of sessions wait for the package that draws them. Until then: agent-history tokens, cache and lost.";
