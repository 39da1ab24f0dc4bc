import { Command, CommanderError } from "commander";

import type { CliContext } from "./cli-context.ts";
import { addMessageCommands } from "./message-commands.ts";
import { addOpenCommand } from "./open-command.ts";
import { addSessionCommands } from "./session-commands.ts";

/** Runs the command line, without the name of the program, and returns its exit code. */
export async function runCommand(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("agent-history")
    .description(
      "Explains the sessions of coding agents on this machine, and fits, checks, repairs, compresses and converts messages. Nothing leaves the machine.",
    )
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: context.tell })
    .addHelpText("after", EXAMPLES);
  let exitCode = 0;
  addSessionCommands(program, context);
  addOpenCommand(program, context);
  addMessageCommands(program, context, (code) => void (exitCode = code));
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

const EXAMPLES = `
Without a command: sessions. Examples:
  agent-history cache
  agent-history tokens 3f2a --json
  agent-history fit chat.json --model gpt-5 > prompt.json`;
