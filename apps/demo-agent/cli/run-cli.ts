import { isHistoryError } from "@agent-history/core";

import { chooseReporter } from "./choose-reporter.ts";
import type { CliSurroundings } from "./cli-surroundings.ts";
import { openStore } from "./open-store.ts";
import type { OutputStream } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { CliOptions } from "./parse-arguments.ts";
import { runSession } from "./run-session.ts";

const EXIT = { done: 0, failed: 1, misused: 2, stopped: 130 };

/** Runs the demo and gives its exit code: 0, 1 with one line that says what failed, 2 for wrong arguments, 130 when it was stopped. */
export async function runCli(
  args: readonly string[],
  surroundings: CliSurroundings,
): Promise<number> {
  const { stdout, stderr } = surroundings;
  const request = parseArguments(args);
  if (request.kind === "help") {
    stdout.write(request.text);
    return EXIT.done;
  }
  if (request.kind === "misuse") {
    stderr.write(`${request.message}\nSee --help.\n`);
    return EXIT.misused;
  }
  return run(request.options, surroundings);
}

async function run(options: CliOptions, surroundings: CliSurroundings): Promise<number> {
  const { stderr, env, signal, cacheFolder } = surroundings;
  const reporter = chooseReporter(options, surroundings);
  let resumable: string | undefined;
  try {
    const location = {
      env,
      cacheFolder,
      ...(options.store !== undefined && { store: options.store }),
    };
    await using opened = await openStore(location);
    const onResumable = (command: string | undefined): void => {
      resumable = command;
    };
    await runSession(options, { ...surroundings, opened, reporter, onResumable });
  } catch (error) {
    reporter.wait(undefined);
    if (signal.aborted) return stopped(stderr, resumable);
    if (!isHistoryError(error)) throw error;
    stderr.write(`${error.message}\n`);
    return EXIT.failed;
  }
  return signal.aborted ? stopped(stderr, resumable) : EXIT.done;
}

function stopped(stderr: OutputStream, resumable: string | undefined): number {
  const how = resumable === undefined ? "" : ` Resume with: ${resumable}`;
  stderr.write(`Stopped.${how}\n`);
  return EXIT.stopped;
}
