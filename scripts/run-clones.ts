import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { styleText } from "node:util";

import { cloneFresh, type FreshClone, type Outcome } from "./fresh-clone.ts";
import { rootFolder } from "./workspace-packages.ts";

/** What to try. */
export interface CloneOptions {
  /** Words of which a package's folder must hold one; without any, every package is tried. */
  readonly words: readonly string[];
  /** Whether the README's test command is run to its end, once. */
  readonly isWhole: boolean;
}

const pnpm = "npx -y pnpm@12";

/**
 * Clones the repository for each command that a contributor to one package types first, and runs it there with an empty home: the
 * tests pass, the install is whole afterwards, and the README's test command is accepted.
 *
 * @returns Whether everything went as it should.
 */
export async function runClones({ words, isWhole }: CloneOptions): Promise<boolean> {
  const folders = testedFolders().filter(
    (folder) => words.length === 0 || words.some((word) => folder.includes(word)),
  );
  if (folders.length === 0) throw new Error(`No package is named so: ${words.join(" ")}`);
  const commands = folders.flatMap(firstCommands);
  let failures = 0;
  for (const command of commands) {
    using clone = cloneFresh();
    const outcome = await clone.run(command, { watches: command.endsWith("--watch") });
    const problem = outcome.hasPassed ? await installProblem(clone) : outcome.output;
    if (!tell(command, outcome, problem)) failures++;
  }
  if (isWhole) {
    using clone = cloneFresh();
    const outcome = await clone.run(`${pnpm} test`);
    if (!tell(`${pnpm} test`, outcome, outcome.hasPassed ? undefined : outcome.output)) failures++;
  }
  console.log(`${folders.length} packages, ${failures} commands failed`);
  return failures === 0;
}

/** The folders that have tests, relative to the root. */
function testedFolders(): string[] {
  return globSync("{packages,apps}/*/package.json", { cwd: rootFolder })
    .filter((file) => readFileSync(join(rootFolder, file), "utf8").includes('"test:watch"'))
    .map((file) => dirname(file))
    .toSorted();
}

function firstCommands(folder: string): string[] {
  const { name } = JSON.parse(readFileSync(join(rootFolder, folder, "package.json"), "utf8"));
  return [
    `${pnpm} --filter ${name} test`,
    `${pnpm} --dir ${folder} test`,
    // Said in so many words, since without a terminal vitest would run once.
    `${pnpm} --dir ${folder} test:watch --watch`,
  ];
}

/** Says what an install lacks: a package without its dependencies, or a workspace that the README's command refuses. */
async function installProblem({ folder, run }: FreshClone): Promise<string | undefined> {
  const bare = globSync("{packages,apps}/*/package.json", { cwd: folder })
    .map((file) => dirname(file))
    .filter((path) => !existsSync(join(folder, path, "node_modules")));
  if (bare.length > 0) return `not installed: ${bare.join(", ")}`;
  // turbo lists what it would run.
  const { output, hasPassed } = await run(`${pnpm} test --dry=json`);
  return hasPassed ? undefined : `\`${pnpm} test\` is refused:\n${output}`;
}

function tell(command: string, outcome: Outcome, problem: string | undefined): boolean {
  const mark = problem === undefined ? styleText("green", "ok    ") : styleText("red", "FAILED");
  const tests = / Duration +([\d.]+m?s)/.exec(outcome.output)?.[1] ?? "";
  const seconds = `${outcome.seconds.toFixed(0).padStart(4)} s, tests ${tests.padStart(7)}`;
  console.log(`${mark} ${seconds}  ${command}`);
  if (problem !== undefined) console.error(problem.slice(-4000).replace(/^/gm, "         "));
  return problem === undefined;
}
