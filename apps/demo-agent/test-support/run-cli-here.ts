import { fileURLToPath } from "node:url";

import { runCli } from "../cli/run-cli.ts";

/** The folder of this repository. */
export const REPOSITORY: string = fileURLToPath(new URL("../../../", import.meta.url));

/** What surrounds a run. */
export interface CliRunOptions {
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** What the user writes. */
  readonly lines?: readonly string[];
  readonly onOutput?: (text: string) => unknown;
}

/** What came of a run. */
export interface CliRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command line in this process, on this repository unless a folder is named. */
export async function runCliHere(...given: readonly (string | CliRunOptions)[]): Promise<CliRun> {
  const args = given.filter((each) => typeof each === "string");
  // Nothing of a test is left behind, unless it says where.
  if (!args.includes("--store")) args.unshift("--store", "memory");
  const options = given.find((each) => typeof each !== "string") ?? {};
  const { isTTY = false, env = {}, signal = new AbortController().signal, onOutput } = options;
  const lines = async function* (): AsyncGenerator<string> {
    yield* options.lines ?? [];
  };
  let output = "";
  let errors = "";
  const write = (text: string): void => {
    output += text;
    onOutput?.(text);
  };
  const exitCode = await runCli(args, {
    stdout: { isTTY, write },
    stderr: { write: (text) => (errors += text) },
    env,
    defaultFolder: REPOSITORY,
    cacheFolder: "/nowhere",
    lines,
    signal,
  });
  return { exitCode, output, errors };
}

/** What a run wrote as JSON, by kind. */
export interface CliJsonRun {
  readonly exitCode: number;
  readonly questions: readonly string[];
  readonly answers: readonly string[];
  readonly plans: readonly string[];
}

/** Runs the command line with `--json`, and reads what it wrote. */
export async function runCliToJson(...args: readonly string[]): Promise<CliJsonRun> {
  const { output, exitCode } = await runCliHere(...args, "--json");
  const events = output
    .trim()
    .split("\n")
    .map((line): { event: string; text?: string; entry?: { type: string; content: string } } =>
      JSON.parse(line),
    );
  const contents = (type: string): readonly string[] =>
    events.flatMap(({ entry }) => (entry?.type === type ? [entry.content] : []));
  return {
    exitCode,
    questions: contents("user_message"),
    plans: contents("strategic_plan"),
    answers: events.flatMap(({ event, text }) =>
      event === "answer" && text !== undefined ? [text] : [],
    ),
  };
}
