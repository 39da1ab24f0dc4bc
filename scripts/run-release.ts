import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { assertArrows } from "./assert-arrows.ts";
import { findExamples } from "./find-examples.ts";
import { cloneFresh } from "./test-support/fresh-clone.ts";
import { publishedPackages } from "./workspace-packages.ts";

/**
 * Rehearses a release: a clone takes the versions of its changesets and publishes to a registry of its own; the packages are installed from there by
 * npm and by pnpm, as a user does, and the first example of each README runs.
 */

/** What first examples import besides. */
const BESIDE = {
  "@electric-sql/pglite": "latest",
  "fast-check": "^4.0.0",
};
const PATIENCE_MS = 10 * 60_000;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "agent-history-rehearsal-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const names = publishedPackages().map(({ name }) => name);
const { url, stop } = await startRegistry();
try {
  await publish();
  for (const manager of ["npm", "pnpm"]) {
    const { ran, failed } = await installAndRun(manager, join(folder, manager));
    for (const line of failed) console.error(`${manager}: ${line}`);
    if (failed.length > 0) process.exitCode = 1;
    console.log(`${manager}: ${names.length} packages installed, ${ran} first examples run`);
  }
} finally {
  stop();
}

/** A registry that takes our packages from anybody, and has all others from npm's. */
async function startRegistry(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const home = join(folder, "registry");
  mkdirSync(home);
  // It asks for a tag of node-fetch, which not every mirror of npm has.
  const needs = { dependencies: { verdaccio: "6" }, overrides: { "node-fetch": "2.7.0" } };
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, ...needs }));
  execFileSync("npm", ["install", "--no-audit"], { cwd: home, stdio: "ignore" });
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const open = { access: "$all", publish: "$all" };
  const config = {
    storage: join(home, "storage"),
    uplinks: { npm: { url: upstream, maxage: "1h" } },
    packages: {
      "agent-history": open,
      "@agent-history/*": open,
      "**": { access: "$all", proxy: "npm" },
    },
    max_body_size: "100mb",
    log: { type: "stdout", level: "error" },
  };
  // JSON is YAML.
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config));
  const port = await freePort();
  const program = join(home, "node_modules/verdaccio/bin/verdaccio");
  const options = ["--config", join(home, "config.yaml"), "--listen", `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [program, ...options], { stdio: "inherit" });
  const address = `http://127.0.0.1:${port}/`;
  for (let tries = 0; !(await isReady(address)); tries += 1) {
    if (tries > 300 || child.exitCode !== null) throw new Error("The registry did not start.");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { url: address, stop: () => child.kill() };
}

async function isReady(address: string): Promise<boolean> {
  const answer = await fetch(`${address}-/ping`).catch(() => undefined);
  return answer?.ok === true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function publish(): Promise<void> {
  using clone = cloneFresh();
  // Nothing of a rehearsal may reach npm: the token is worth nothing there.
  const settings = `registry=${url}\n//${new URL(url).host}/:_authToken=rehearsal\n`;
  writeFileSync(join(clone.folder, ".npmrc"), settings);
  const commands = [
    "install --frozen-lockfile",
    "exec changeset version",
    `release --registry ${url}`,
  ];
  for (const command of commands) {
    const { output, hasPassed } = await clone.run(`npx -y pnpm@12 ${command}`);
    if (!hasPassed) throw new Error(`pnpm ${command} failed:\n${output.slice(-4000)}`);
  }
}

/** Returns how many examples ran to their end, and what failed. */
async function installAndRun(
  manager: string,
  cwd: string,
): Promise<{ readonly ran: number; readonly failed: readonly string[] }> {
  mkdirSync(cwd);
  const dependencies = { ...BESIDE, ...Object.fromEntries(names.map((name) => [name, "^1.0.0"])) };
  writeFileSync(
    join(cwd, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
  writeFileSync(join(cwd, "pnpm-workspace.yaml"), "strictDepBuilds: false\nminimumReleaseAge: 0\n");
  const env = { ...process.env, npm_config_registry: url };
  await run(manager, ["install"], { cwd, env, timeout: PATIENCE_MS });
  const failed: string[] = [];
  let ran = 0;
  for (const name of names) {
    const readme = readFileSync(join(cwd, "node_modules", name, "README.md"), "utf8");
    const [example] = findExamples(`${name}/README.md`, readme);
    if (example?.run !== true) continue;
    const file = `${name.replaceAll(/\W+/g, "_")}.mts`;
    const header = 'import { deepStrictEqual as assertEqual } from "node:assert"; ';
    writeFileSync(join(cwd, file), header + assertArrows(example));
    try {
      await run(process.execPath, [file], { cwd, timeout: PATIENCE_MS });
      ran += 1;
    } catch (error) {
      failed.push(`${name}: ${String(error).slice(0, 2000)}`);
    }
  }
  return { ran, failed };
}
