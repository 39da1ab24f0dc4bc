import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { rootFolder } from "../workspace-packages.ts";

/** A clone of this repository, as a newcomer has it: nothing is installed, and their home is empty. */
export interface FreshClone extends Disposable {
  readonly folder: string;
  /** The environment of a new shell. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command there to its end. */
  readonly run: (command: string) => Promise<Outcome>;
}

/** What came of a command. */
export interface Outcome {
  readonly output: string;
  readonly hasPassed: boolean;
}

/** What takes longer hangs. */
const PATIENCE_MS = 15 * 60_000;

/** Clones what is committed, with the changes of the working tree. Downloads come from the caches of this machine. */
export function cloneFresh(): FreshClone {
  const home = mkdtempSync(join(tmpdir(), "agent-history-clone-"));
  const folder = join(home, "agent-history");
  spawnSync("git", ["clone", "--quiet", rootFolder, folder], { stdio: "inherit" });
  for (const path of changedFiles()) {
    if (existsSync(join(rootFolder, path))) cpSync(join(rootFolder, path), join(folder, path));
    else rmSync(join(folder, path), { force: true });
  }
  commitAll(folder);
  const env = newcomersEnvironment(home);
  return {
    folder,
    env,
    run: (command) => run(command, folder, env),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

function commitAll(cwd: string): void {
  const author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
  spawnSync("git", ["add", "--all"], { cwd });
  spawnSync("git", [...author, "commit", "--quiet", "--no-verify", "-m", "working tree"], { cwd });
}

function changedFiles(): string[] {
  const options = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", options, { cwd: rootFolder, encoding: "utf8" });
  return [...new Set(stdout.split("\0"))].filter((path) => path !== "");
}

function newcomersEnvironment(home: string): NodeJS.ProcessEnv {
  const ofThisRun =
    /^(npm_|pnpm_|turbo_|node_options$|node_path$|init_cwd$|ci$|vitest|test$|mode$)/i;
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
    npm_config_prefer_offline: "true",
    pnpm_config_store_dir: dirname(printed("npx", "-y", "pnpm@12", "store", "path")),
  };
}

function printed(command: string, ...options: string[]): string {
  return spawnSync(command, options, { cwd: rootFolder, encoding: "utf8" }).stdout.trim();
}

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const child = spawn(command, { cwd, env, detached: true, shell: true });
  let output = "";
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.on("close", (code) => resolve(code === 0));
  const clock = setTimeout(() => resolve(false), PATIENCE_MS);
  const hasPassed = await promise;
  clearTimeout(clock);
  await stop(child);
  return { output, hasPassed };
}

/** Ends a process with all that it started, and waits for its end. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
