import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { startRedisServer } from "../packages/store-redis/test-support/servers/start-redis-server.ts";
import { packPackages, type Tarball } from "./pack-packages.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Builds and packs the packages, installs all of them beside each version of each SDK, with npm and with pnpm, and uses them with it. Prints a row for each version.
 * The command line names SDKs by words of their `name@version`; default: all.
 */

/** What is installed beside the packages: versions that users still have, and the newest. */
const beside = [
  ...["4", "5", "6", "latest"].map((version) => ({ sdk: "ai", version })),
  ...["0.90", "1.5", "latest"].map((version) => ({ sdk: "@anthropic-ai/sdk", version })),
  ...["0.3", "1.1", "latest"].map((version) => ({ sdk: "@langchain/core", version })),
  ...["5", "6", "latest"].map((version) => ({ sdk: "openai", version })),
  ...["4", "5", "latest"].map((version) => ({ sdk: "redis", version })),
  ...["3", "latest"].map((version) => ({ sdk: "zod", version })),
  // No SDK: workerd, for which the program is bundled.
  { sdk: "miniflare", version: "latest" },
];

const run = promisify(execFile);

/** How a version was taken: what its program said, or how it failed. */
interface Installed {
  readonly isFine: boolean;
  readonly outcome: string;
}

const words = process.argv.slice(2);
const chosen = beside.filter(
  ({ sdk, version }) =>
    words.length === 0 || words.some((word) => `${sdk}@${version}`.includes(word)),
);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-installs-")));
const redis = await startRedisServer();
try {
  execFileSync("pnpm", ["run", "build"], { cwd: rootFolder, stdio: ["ignore", "ignore", 2] });
  const tarballs = packPackages(rootFolder, folder);
  console.log("| beside | npm | pnpm | needs a newer one |\n| --- | --- | --- | --- |");
  for (const { sdk, version } of chosen) {
    const cells: Installed[] = [];
    for (const manager of ["npm", "pnpm"]) {
      const project = join(folder, `${manager}-${sdk}-${version}`.replaceAll("/", "-"));
      cells.push(await installAndUse({ manager, project, sdk, version, tarballs }, redis.url));
      rmSync(project, { recursive: true });
    }
    if (!cells.every(({ isFine }) => isFine)) process.exitCode = 1;
    console.log(rowOf(sdk, version, cells));
  }
} finally {
  await redis.stop();
  rmSync(folder, { recursive: true });
}

/** A folder of a user's, and what goes into it. */
interface Project {
  readonly manager: string;
  readonly project: string;
  readonly sdk: string;
  readonly version: string;
  readonly tarballs: readonly Tarball[];
}

async function installAndUse(wanted: Project, redisUrl: string): Promise<Installed> {
  const { manager, project: cwd, sdk } = wanted;
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), manifestOf(wanted));
  writeFileSync(
    join(cwd, "pnpm-workspace.yaml"),
    JSON.stringify({ overrides: filesOf(wanted), strictDepBuilds: false }),
  );
  for (const file of ["use-sdk.mjs", "use-on-the-edge.ts"]) {
    copyFileSync(join(rootFolder, "scripts/test-support/consumer", file), join(cwd, file));
  }
  const install = ["install", "--prefer-offline", ...(manager === "npm" ? ["--no-audit"] : [])];
  try {
    await run(manager, install, { cwd });
    const env = { ...process.env, REDIS_URL: redisUrl };
    const { stdout } = await run(process.execPath, ["use-sdk.mjs", sdk], { cwd, env });
    return { isFine: true, outcome: stdout };
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error);
    const line = /^.*(ERR|Error).*$/m.exec(`${stdout}${stderr}`)?.[0];
    return { isFine: false, outcome: line ?? String(error) };
  }
}

function manifestOf(wanted: Project): string {
  const dependencies = {
    ...filesOf(wanted),
    "fast-check": "^4.0.0",
    ...(wanted.sdk === "miniflare" && { esbuild: "^0.28.0" }),
    [wanted.sdk]: wanted.version,
  };
  return JSON.stringify({ private: true, type: "module", dependencies });
}

/** The tarballs by name: pnpm, unlike npm, would look for what they need of each other in the registry. */
function filesOf({ tarballs }: Project): Record<string, string> {
  return Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]));
}

function rowOf(sdk: string, version: string, cells: readonly Installed[]): string {
  const used = cells.find(({ isFine }) => isFine);
  const { version: got = version, needsNewer = [] } = used ? JSON.parse(used.outcome) : {};
  const verdicts = cells.map(({ isFine, outcome }) => (isFine ? "ok" : outcome.trim()));
  return `| ${[`${sdk}@${got}`, ...verdicts, needsNewer.join(", ")].join(" | ")} |`;
}
