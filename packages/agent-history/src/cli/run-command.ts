import { Command, CommanderError } from "commander";

import type { CliContext } from "./cli-context.ts";
import { addMessageCommands } from "./message-commands.ts";
import { addSessionCommands } from "./session-commands.ts";

/** Runs the command line, without the name of the program, and returns its exit code. */
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
  program.commandsGroup("Sessions (default: the newest, and what was wasted):");
  addSessionCommands(program, context, word.startsWith("-"));
  program.commandsGroup("Messages (a file or a pipe):");
  addMessageCommands(program, context, (code) => void (exitCode = code));
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}
