import type { Command } from "commander";

import type { CliContext } from "./cli-context.ts";
import type { OpenCommandOptions } from "./commands/open-session.ts";

/** Adds the command that writes a session as a page. */
export function addOpenCommand(program: Command, context: CliContext): void {
  program
    .command("open")
    .argument("[session]", "id, its beginning, or a file; default: the newest")
    .description("writes a session as an HTML page: what each call was sent, and what it cost")
    .option("--html <file>", "where; default: a file in the folder for temporary files")
    .option("--what-if", "lets the page count exactly what another fit would shorten; adds 2 MB")
    .option("--serve", "serves the page on this machine instead, and follows the session")
    .option("--dir <folder>", "reads the sessions in a folder instead of those of this machine")
    .action(async (session: string | undefined, options: OpenCommandOptions) => {
      const { openSession } = await import("./commands/open-session.ts");
      await openSession(context, session, options);
    });
}
