import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { styleText } from "node:util";

import { rootFolder } from "./workspace-packages.ts";

/** What to try. */
export interface CloneOptions {
  /** Words of which a package's folder must hold one; without any, every package is tried. */
  readonly words: readonly string[];
  /** Whether the README's test command is run to its end, once. */
  readonly isWhole: boolean;
}

/** A first command of a contributor, in a clone of its own. */
interface Attempt {
  readonly folder: string;
  readonly command: readonly string[];
  readonly watches: boolean;
}

const pnpm = ["npx", "-y", "pnpm@12"];
/** A run of all tests of a package, with the install of a fresh clone; what takes longer hangs. */
const patienceMs = 15 * 60_000;

/**
 * Clones what is committed, once for each command that a contributor to one package types first, and runs it there with an empty
 * home: the tests pass, the install is whole afterwards, and the README's test command is accepted. Downloads come from the caches
 * of this machine where they are there.
 *
 * @returns Whether everything went as it should.
 */
export async function runClones({ words, isWhole }: CloneOptions): Promise<boolean> {
  const folders = testedFolders().filter(
    (folder) => words.length === 0 || words.some((word) => folder.includes(word)),
  );
  if (folders.length === 0) throw new Error(`No package is named so: ${words.join(" ")}`);
  let failures = 0;
  for (const attempt of folders.flatMap(attemptsOf)) if (!(await succeeds(attempt))) failures++;
  if (isWhole && !(await inClone(testsEverything))) failures++;
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

function attemptsOf(folder: string): Attempt[] {
  const { name } = JSON.parse(readFileSync(join(rootFolder, folder, "package.json"), "utf8"));
  return [
    { folder, command: [...pnpm, "--filter", name, "test"], watches: false },
    { folder, command: [...pnpm, "--dir", folder, "test"], watches: false },
    // Said in so many words, since without a terminal vitest would run once.
    { folder, command: [...pnpm, "--dir", folder, "test:watch", "--watch"], watches: true },
  ];
}

function succeeds(attempt: Attempt): Promise<boolean> {
  return inClone(async (clone, env) => {
    const start = performance.now();
    const { output, hasPassed } = await run(clone, env, attempt.command, attempt.watches);
    const took = (performance.now() - start) / 1000;
    const tests = / Duration +([\d.]+m?s)/.exec(output)?.[1] ?? "?";
    const problem = hasPassed ? installProblem(clone, env) : output;
    const mark = problem === undefined ? styleText("green", "ok    ") : styleText("red", "FAILED");
    console.log(
      `${mark} ${took.toFixed(0).padStart(4)} s, tests ${tests.padStart(7)}  ${attempt.command.join(" ")}`,
    );
    if (problem !== undefined) console.error(problem.slice(-3000).replace(/^/gm, "         "));
    return problem === undefined;
  });
}

async function testsEverything(clone: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const command = [...pnpm, "test"];
  const start = performance.now();
  const { output, hasPassed } = await run(clone, env, command, false);
  const mark = hasPassed ? styleText("green", "ok    ") : styleText("red", "FAILED");
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${mark} ${seconds.padStart(4)} s                 ${command.join(" ")}`);
  if (!hasPassed) console.error(output.slice(-6000));
  return hasPassed;
}

/** Says what an install lacks: a package without its dependencies, or a workspace that pnpm or turbo refuse. */
function installProblem(clone: string, env: NodeJS.ProcessEnv): string | undefined {
  const bare = globSync("{packages,apps}/*/package.json", { cwd: clone })
    .map((file) => dirname(file))
    .filter((folder) => !existsSync(join(clone, folder, "node_modules")));
  if (bare.length > 0) return `not installed: ${bare.join(", ")}`;
  // The README's command; turbo lists what it would run.
  const { status, stdout, stderr } = spawnSync("npx", [...pnpm.slice(1), "test", "--dry=json"], {
    cwd: clone,
    env,
    encoding: "utf8",
  });
  return status === 0 ? undefined : `pnpm test is refused:\n${stdout}${stderr}`;
}

async function inClone(
  use: (clone: string, env: NodeJS.ProcessEnv) => Promise<boolean>,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-clone-"));
  try {
    const clone = join(folder, "agent-history");
    spawnSync("git", ["clone", "--quiet", rootFolder, clone], { stdio: "inherit" });
    return await use(clone, newcomersEnvironment(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment of a new shell with an empty home, whose caches are those of this machine. */
function newcomersEnvironment(home: string): NodeJS.ProcessEnv {
  const ofThisRun = /^(npm_|pnpm_|turbo_|node_options$|node_path$|init_cwd$|ci$|vitest)/i;
  const kept = Object.entries(process.env).filter(
    ([name]) => !ofThisRun.test(name) || /^npm_config_(registry|cafile)$/i.test(name),
  );
  const path = (process.env["PATH"] ?? "").split(":").filter((one) => !/node_modules/.test(one));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: path.join(":"),
    NO_COLOR: "1",
    npm_config_cache: printed("npm", "config", "get", "cache"),
    pnpm_config_store_dir: dirname(printed("npx", "-y", "pnpm@12", "store", "path")),
  };
}

function printed(command: string, ...options: string[]): string {
  return spawnSync(command, options, { cwd: rootFolder, encoding: "utf8" }).stdout.trim();
}

/** Runs a command to its end; one that watches is stopped as soon as it has shown its results. */
async function run(
  cwd: string,
  env: NodeJS.ProcessEnv,
  [command = "", ...options]: readonly string[],
  watches: boolean,
): Promise<{ readonly output: string; readonly hasPassed: boolean }> {
  const child = spawn(command, options, { cwd, env, detached: true });
  let output = "";
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (watches && /Waiting for file changes/.test(output)) resolve(true);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.on("close", (code) => resolve(!watches && code === 0));
  const clock = setTimeout(() => resolve(false), patienceMs);
  const hasPassed = await promise;
  clearTimeout(clock);
  await stop(child);
  return { output, hasPassed: hasPassed && !/Tests .*failed/.test(output) };
}

/** Ends a process with all that it started, and waits for its end. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
