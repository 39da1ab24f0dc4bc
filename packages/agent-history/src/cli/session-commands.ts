import type { Command } from "commander";

import type { CliContext } from "./cli-context.ts";
import type { OpenCommandOptions } from "./commands/open-session.ts";
import type { ReplayCommandOptions } from "./commands/replay-sessions.ts";
import type { SessionOptions } from "./sessions.ts";

type Explain = (
  context: CliContext,
  session: string | undefined,
  options: SessionOptions,
) => Promise<void>;

interface Explanation {
  readonly name: string;
  readonly what: string;
  readonly load: () => Promise<Explain>;
}

/** Each is loaded when it is called. */
const explanations: readonly Explanation[] = [
  {
    name: "tokens",
    what: "where the tokens go: by role, tool, file and turn",
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  },
  {
    name: "cache",
    what: "what broke the prompt cache, why, and what it cost",
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  },
  {
    name: "lost",
    what: "what summaries left out that was needed later",
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  },
];

/** Adds the commands that explain recorded sessions; `isDefault` runs the overview where the command line names no command. */
export function addSessionCommands(
  program: Command,
  context: CliContext,
  isDefault: boolean,
): void {
  withSessionOptions(program.command("overview", { isDefault, hidden: true }), "10").action(
    async (options: SessionOptions) => {
      const { showOverview } = await import("./commands/show-overview.ts");
      await showOverview(context, options);
    },
  );
  withSessionOptions(program.command("sessions"), "25")
    .description("all sessions by project: turns, tokens, cost")
    .action(async (options: SessionOptions) => {
      const { listSessions } = await import("./commands/list-sessions.ts");
      await listSessions(context, options);
    });
  for (const { name, what, load } of explanations) {
    withSessionOptions(program.command(name), "10")
      .argument("[session]", "id, its beginning, or a file; default: all")
      .description(what)
      .action(async (session: string | undefined, options: SessionOptions) => {
        const explain = await load();
        await explain(context, session, options);
      });
  }
  withSessionOptions(program.command("replay"), "10")
    .argument("[session]", "id, its beginning, or a file; default: all")
    .description("what our fit would have sent, beside what was sent")
    .option("--window <tokens>", "the context window", "100000")
    .action(async (session: string | undefined, options: ReplayCommandOptions) => {
      const { replaySessions } = await import("./commands/replay-sessions.ts");
      await replaySessions(context, session, options);
    });
  program
    .command("open")
    .argument("[session]", "id, its beginning, or a file; default: the newest")
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

/** Adds the options of every command that reads sessions. */
function withSessionOptions(command: Command, limit: string): Command {
  return command
    .option("--json", "prints JSON")
    .option("--redact", "hides texts, names of files, folders and sessions")
    .option("--dir <folder>", "reads the sessions in a folder instead of those of this machine")
    .option("--prices <file>", "a JSON table of prices instead of the built-in one")
    .option("--limit <n>", "how many rows a table has", limit);
}
