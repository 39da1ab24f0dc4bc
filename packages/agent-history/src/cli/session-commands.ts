import type { Command } from "commander";

import type { CliContext } from "./cli-context.ts";
import type { OpenCommandOptions } from "./commands/open-session.ts";
import type { Answer, SessionOptions } from "./sessions.ts";

type Explain<Options> = (
  context: CliContext,
  session: string | undefined,
  options: Options,
) => Promise<Answer>;

const SESSION = "id, its beginning, or a file; default: ";

/** Adds the commands that explain recorded sessions; `isDefault` runs the overview where the command line names no command. Each is loaded when it is called. */
export function addSessionCommands(
  program: Command,
  context: CliContext,
  isDefault: boolean,
): void {
  explaining(program.command("overview", { isDefault, hidden: true }), context, {
    limit: "10",
    load: async () => (await import("./commands/show-overview.ts")).showOverview,
  });
  explaining(program.command("sessions"), context, {
    limit: "25",
    load: async () => (await import("./commands/list-sessions.ts")).listSessions,
  }).description("all sessions by project: turns, tokens, cost");
  explaining(program.command("tokens").argument("[session]", `${SESSION}all`), context, {
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  }).description("where the tokens go: by role, tool, file and turn");
  explaining(program.command("cache").argument("[session]", `${SESSION}all`), context, {
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  }).description("what broke the prompt cache, why, and what it cost");
  explaining(program.command("lost").argument("[session]", `${SESSION}all`), context, {
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  }).description("what summaries left out that was needed later");
  explaining(program.command("replay").argument("[session]", `${SESSION}all`), context, {
    load: async () => (await import("./commands/replay-sessions.ts")).replaySessions,
  })
    .description("what our fit would have sent, beside what was sent")
    .option("--window <tokens>", "the context window", "100000");
  program
    .command("open")
    .argument("[session]", `${SESSION}the newest`)
    .description("a session as a page in the browser")
    .option("--html <file>", "where; default: a file in the folder for temporary files")
    .option("--no-open", "writes the page and opens no browser")
    .option("--what-if", "lets the page count exactly what another fit would shorten; adds 2 MB")
    .option("--serve", "serves the page on this machine instead, and follows the session")
    .option("--dir <folder>", "reads the sessions in a folder instead of those of this machine")
    .action(async (session: string | undefined, options: OpenCommandOptions) => {
      const { openSession } = await import("./commands/open-session.ts");
      await openSession(context, session, options);
    });
}

/** Adds the options of a command that reads sessions, and prints what it says. */
function explaining<Options extends SessionOptions>(
  command: Command,
  context: CliContext,
  {
    limit = "10",
    load,
  }: { readonly limit?: string; readonly load: () => Promise<Explain<Options>> },
): Command {
  return command
    .option("--json", "prints JSON")
    .option("--redact", "hides texts, names of files, folders and sessions")
    .option("--dir <folder>", "reads the sessions in a folder instead of those of this machine")
    .option("--prices <file>", "a JSON table of prices instead of the built-in one")
    .option("--limit <n>", "how many rows a table has", limit)
    .action(async () => {
      const explain = await load();
      const options = command.opts<Options>();
      const { json, screen } = await explain(context, command.args[0], options);
      const shown = options.json
        ? `${JSON.stringify(json, undefined, 2)}\n`
        : screen()
            .filter((part) => part !== undefined)
            .join("\n");
      context.write(shown);
    });
}
