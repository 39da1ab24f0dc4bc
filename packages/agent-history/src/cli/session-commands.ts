import type { Command } from "commander";

import type { CliContext } from "./cli-context.ts";
import type { ReplayCommandOptions } from "./commands/replay-sessions.ts";
import type { SessionOptions } from "./session-options.ts";

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
    what: "where the tokens go: by role, tool, file and turn; what is sent again",
    load: async () => (await import("./commands/explain-tokens.ts")).explainTokens,
  },
  {
    name: "cache",
    what: "what broke the prompt cache, why, and what it cost",
    load: async () => (await import("./commands/explain-cache.ts")).explainCache,
  },
  {
    name: "lost",
    what: "what agents needed after a compaction, and what of it the summary kept",
    load: async () => (await import("./commands/explain-lost.ts")).explainLost,
  },
];

/** Adds the commands that explain recorded sessions. */
export function addSessionCommands(program: Command, context: CliContext): void {
  withOptions(program.command("sessions", { isDefault: true }), "25")
    .description("lists sessions by project, newest first: turns, tokens, cost, compactions")
    .action(async (options: SessionOptions) => {
      const { listSessions } = await import("./commands/list-sessions.ts");
      await listSessions(context, options);
    });
  for (const { name, what, load } of explanations) {
    withOptions(program.command(name), "10")
      .argument("[session]", "id, its beginning, or a file; default: all")
      .description(what)
      .action(async (session: string | undefined, options: SessionOptions) => {
        const explain = await load();
        await explain(context, session, options);
      });
  }
  addReplay(program, context);
}

function addReplay(program: Command, context: CliContext): void {
  withOptions(program.command("replay"), "10")
    .argument("[session]", "id, its beginning, or a file; default: all")
    .description("what our fit would have sent at each call, beside what was sent")
    .requiredOption("--window <tokens>", "the context window")
    .action(async (session: string | undefined, options: ReplayCommandOptions) => {
      const { replaySessions } = await import("./commands/replay-sessions.ts");
      await replaySessions(context, session, options);
    });
}

/** Adds the options of every command that reads sessions. */
function withOptions(command: Command, limit: string): Command {
  return command
    .option("--json", "prints JSON")
    .option("--redact", "hides texts, names of files, folders and sessions")
    .option("--dir <folder>", "reads the sessions in a folder instead of those of this machine")
    .option("--prices <file>", "a JSON table of prices instead of the built-in one")
    .option("--limit <n>", "how many rows a table has", limit);
}
