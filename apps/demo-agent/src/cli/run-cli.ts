import { HistoryError, isHistoryError } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";

import { openFolder } from "../documents/open-folder.ts";
import type { DocumentFolder } from "../documents/open-folder.ts";
import { offlineModel } from "../model/offline-model.ts";
import type { ModelCallRecord } from "../prompt/ask-model.ts";
import { createAgentTeam } from "../team/create-agent-team.ts";
import { choosePlanners } from "./choose-planners.ts";
import { jsonReporter } from "./json-reporter.ts";
import { createOutput } from "./output.ts";
import type { OutputStream } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { CliOptions } from "./parse-arguments.ts";
import type { Reporter } from "./reporter.ts";
import { BUILT_IN_QUESTIONS, sessionQuestions } from "./session-questions.ts";
import { textReporter } from "./text-reporter.ts";

/** Where the demo runs. */
export interface CliSurroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that is asked about where none is given. */
  readonly defaultFolder: string;
  /** Fires when the user stops the run. */
  readonly signal: AbortSignal;
}

const EXIT = { done: 0, failed: 1, misused: 2, stopped: 130 };

/** Runs the demo and gives its exit code: 0, 1 with one line that says what failed, 2 for wrong arguments, 130 when it was stopped. */
export async function runCli(
  args: readonly string[],
  surroundings: CliSurroundings,
): Promise<number> {
  const { stdout, stderr, env, signal } = surroundings;
  const request = parseArguments(args);
  if (request.kind === "help") {
    stdout.write(request.text);
    return EXIT.done;
  }
  if (request.kind === "misuse") {
    stderr.write(`${request.message}\nSee --help.\n`);
    return EXIT.misused;
  }
  const output = createOutput(stdout, env);
  const reporter = request.options.json ? jsonReporter(output) : textReporter(output);
  try {
    await runSession(request.options, surroundings, reporter);
    return EXIT.done;
  } catch (error) {
    if (signal.aborted) {
      stderr.write("Stopped.\n");
      return EXIT.stopped;
    }
    if (!isHistoryError(error)) throw error;
    stderr.write(`${error.message}\n`);
    return EXIT.failed;
  }
}

async function runSession(
  options: CliOptions,
  { defaultFolder, signal }: CliSurroundings,
  reporter: Reporter,
): Promise<void> {
  const folder = await openFolder(options.dir ?? defaultFolder, { signal });
  reporter.folder(folder);
  const questions = questionsFor(options, folder);
  const calls: ModelCallRecord[] = [];
  const team = await createAgentTeam({
    model: offlineModel(),
    folder,
    store: memoryStore(),
    threadId: "demo",
    planners: choosePlanners(options),
    onEntry: reporter.entry,
    onModelCall: (record) => calls.push(record),
    signal,
  });
  try {
    for (const question of questions) reporter.answer(await team.ask(question));
  } finally {
    reporter.calls(calls);
  }
}

function questionsFor({ question, dir }: CliOptions, folder: DocumentFolder): readonly string[] {
  if (folder.documents.length === 0) {
    throw new HistoryError(
      `Expected text files in ${folder.root}, found none. Give another folder.`,
      {
        code: "NOT_FOUND",
        details: { path: folder.root },
      },
    );
  }
  if (question !== undefined) return [question];
  return dir === undefined ? BUILT_IN_QUESTIONS : sessionQuestions(folder.documents);
}
