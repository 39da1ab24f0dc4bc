import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { packPackages } from "./pack-packages.ts";
import { tarballProblems } from "./tarball-problems.ts";
import { throwAwayCopy } from "./throw-away-copy.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Publishes what the registry lacks, once every tarball was looked into. `--dry-run` publishes nothing: it applies the waiting
 * changesets to a copy and leaves the tarballs, with the versions they would bear, in a temporary folder.
 */

// Anything else throws: a mistyped `--dry-run` must not publish.
const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

run("pnpm", ["run", "build"]);
const isSound = values["dry-run"] ? rehearse() : packAll(rootFolder);
if (!isSound) process.exitCode = 1;
else if (!values["dry-run"]) publish();

function rehearse(): boolean {
  const copy = throwAwayCopy({ built: true });
  try {
    // The formatter is run through pnpm, which would link this workspace's packages to the copy.
    const config = join(copy.folder, ".changeset/config.json");
    writeFileSync(config, JSON.stringify({ ...readJson(config), format: false }));
    run(join(rootFolder, "node_modules/.bin/changeset"), ["version"], copy.folder);
    return packAll(copy.folder);
  } finally {
    copy.remove();
  }
}

/** Packs every published package of a workspace and says what it found; true where nothing is wrong. */
function packAll(workspace: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-release-"));
  const tarballs = packPackages(workspace, folder);
  const problems = tarballs.flatMap((tarball) =>
    tarballProblems(tarball).map((problem) => `${tarball.name}: ${problem}`),
  );

  for (const { name, version, paths, size } of tarballs) {
    const kilobytes = `${Math.ceil(size / 1000)} kB`;
    console.log(`${`${name}@${version}`.padEnd(40)} ${paths.length} files  ${kilobytes}`);
  }
  for (const problem of problems) console.error(problem);
  console.log(`packed to ${folder}`);
  return problems.length === 0;
}

function publish(): void {
  // pnpm does not look at `publishConfig.provenance`. Where no one can vouch for the build, it refuses to publish.
  const env = { ...process.env, PNPM_CONFIG_PROVENANCE: "true" };
  execFileSync("changeset", ["publish"], { cwd: rootFolder, stdio: "inherit", env });
}

function run(command: string, options: readonly string[], cwd: string = rootFolder): void {
  execFileSync(command, options, { cwd, stdio: "inherit" });
}

function readJson(file: string): object {
  return JSON.parse(readFileSync(file, "utf8"));
}
