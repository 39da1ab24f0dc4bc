import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { startRedisServer } from "../packages/store-redis/test-support/servers/start-redis-server.ts";
import { assertArrows } from "./assert-arrows.ts";
import { findExamples } from "./find-examples.ts";
import { cloneFresh } from "./test-support/fresh-clone.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Rehearses a release, and the installs after it: a clone takes the versions of its changesets and publishes to a registry of its own; npm and pnpm install the
 * packages from there as a user does, alone to run the first example of each README, and beside each version of each SDK to use them with it. Prints a row for
 * each install. The command line names rows by words of their `name@version`; default: all.
 */

/** What is installed beside the packages: versions that users still have, and the newest. */
const installs = [
  { sdk: "node", version: "24" },
  ...["4", "5", "6", "latest"].map((version) => ({ sdk: "ai", version })),
  ...["0.90", "1.5", "latest"].map((version) => ({ sdk: "@anthropic-ai/sdk", version })),
  ...["0.3", "1.1", "latest"].map((version) => ({ sdk: "@langchain/core", version })),
  ...["5", "6", "latest"].map((version) => ({ sdk: "openai", version })),
  ...["4", "5", "latest"].map((version) => ({ sdk: "redis", version })),
  ...["3", "latest"].map((version) => ({ sdk: "zod", version })),
  // No SDK: workerd, for which the program is bundled.
  { sdk: "miniflare", version: "latest" },
];
/** What examples and programs import besides. */
const BESIDE = { "@electric-sql/pglite": "latest", esbuild: "^0.28.0", "fast-check": "^4.0.0" };

const run = promisify(execFile);
const names = publishedPackages().map(({ name }) => name);
const words = process.argv.slice(2);
const chosen = installs.filter(
  ({ sdk, version }) =>
    words.length === 0 || words.some((word) => `${sdk}@${version}`.includes(word)),
);
const folder = mkdtempSync(join(tmpdir(), "agent-history-installs-"));
const redis = await startRedisServer();
const registry = await startRegistry();
const url = `http://127.0.0.1:${Object(registry.address()).port}/`;
try {
  await publish();
  console.log("| beside | npm | pnpm | needs a newer one |\n| --- | --- | --- | --- |");
  for (const { sdk, version } of chosen) {
    const [npm, pnpm] = [await verdict("npm", sdk, version), await verdict("pnpm", sdk, version)];
    const { got = version, needsNewer = [] } = pnpm;
    const cells = [`${sdk}@${got}`, npm.outcome, pnpm.outcome, needsNewer.join(", ")];
    console.log(`| ${cells.join(" | ")} |`);
  }
} finally {
  registry.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A registry that takes our packages from anybody, and has all others from npm's. */
async function startRegistry(): Promise<Server> {
  const home = join(folder, "registry/");
  mkdirSync(home);
  // It asks for a tag of node-fetch, which not every mirror of npm has.
  const needs = { dependencies: { verdaccio: "6" }, overrides: { "node-fetch": "2.7.0" } };
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, ...needs }));
  execFileSync("npm", ["install", "--no-audit"], { cwd: home, stdio: "ignore" });
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const open = { access: "$all", publish: "$all" };
  const proxied = { access: "$all", proxy: "npm" };
  const server: Server = await createRequire(home)("verdaccio").runServer({
    self_path: home,
    storage: join(home, "storage"),
    uplinks: { npm: { url: upstream, maxage: "1h" } },
    packages: { "agent-history": open, "@agent-history/*": open, "**": proxied },
    max_body_size: "100mb",
    log: { type: "stdout", level: "error" },
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

async function publish(): Promise<void> {
  using clone = cloneFresh();
  // Nothing of a rehearsal may reach npm: the token is worth nothing there.
  const settings = `registry=${url}\n//${new URL(url).host}/:_authToken=rehearsal\n`;
  writeFileSync(join(clone.folder, ".npmrc"), settings);
  const release = ["exec changeset version", `release --registry ${url}`];
  for (const command of ["install --frozen-lockfile", ...release]) {
    const { output, hasPassed } = await clone.run(`npx -y pnpm@12 ${command}`);
    if (!hasPassed) throw new Error(`pnpm ${command} failed:\n${output.slice(-4000)}`);
  }
}

/** What came of an install. */
interface Verdict {
  readonly outcome: string;
  /** The version that was installed. */
  readonly got?: string;
  readonly needsNewer?: readonly string[];
}

/** Installs the packages beside an SDK, and uses them. */
async function verdict(manager: string, sdk: string, version: string): Promise<Verdict> {
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const ours = Object.fromEntries(names.map((name) => [name, "^1.0.0"]));
  const dependencies = { ...ours, ...BESIDE, ...(sdk !== "node" && { [sdk]: version }) };
  const manifest = { private: true, type: "module", dependencies };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
  writeFileSync(join(cwd, "pnpm-workspace.yaml"), "strictDepBuilds: false\nminimumReleaseAge: 0\n");
  // A setting of the environment goes before that of the folder.
  const env = { ...process.env, npm_config_registry: url, REDIS_URL: redis.url };
  try {
    await run(manager, ["install"], { cwd, env, timeout: 600_000 });
    if (sdk === "node") return { outcome: `${await runExamples(cwd)} examples run` };
    for (const file of ["use-sdk.mjs", "use-on-the-edge.ts"]) {
      copyFileSync(join(rootFolder, "scripts/test-support/consumer", file), join(cwd, file));
    }
    const { stdout } = await run(process.execPath, ["use-sdk.mjs", sdk], { cwd, env });
    const { version: got, needsNewer } = JSON.parse(stdout);
    return { outcome: "ok", got, needsNewer };
  } catch (error) {
    process.exitCode = 1;
    const { stdout = "", stderr = "" } = Object(error);
    const line = /^.*(ERR|Error).*$/m.exec(`${stdout}${stderr}`)?.[0];
    return { outcome: line?.trim() ?? String(error) };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Runs the first example of the README of each package as it is installed, and returns how many there are. */
async function runExamples(cwd: string): Promise<number> {
  const header = 'import { deepStrictEqual as assertEqual } from "node:assert"; ';
  let ran = 0;
  for (const name of names) {
    const readme = readFileSync(join(cwd, "node_modules", name, "README.md"), "utf8");
    const [example] = findExamples(`${name}/README.md`, readme);
    if (example?.run !== true) continue;
    writeFileSync(join(cwd, "example.mts"), header + assertArrows(example));
    await run(process.execPath, ["example.mts"], { cwd, timeout: 600_000 });
    ran += 1;
  }
  return ran;
}
