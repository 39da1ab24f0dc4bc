import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { packPackages } from "./pack-packages.ts";
import { tarballProblems } from "./tarball-problems.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Packs every package, looks into each tarball, and publishes what the registry lacks. `--dry-run` publishes nothing and leaves the tarballs
 * in a temporary folder. `--registry URL` publishes to another registry, which asks for no provenance: the rehearsal.
 */

// Anything else throws: a mistyped `--dry-run` must not publish.
const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, registry: { type: "string" } },
});

execFileSync("pnpm", ["run", "build"], { cwd: rootFolder, stdio: "inherit" });
const folder = mkdtempSync(join(tmpdir(), "agent-history-release-"));
const tarballs = packPackages(rootFolder, folder);
const problems = tarballs.flatMap((tarball) =>
  tarballProblems(tarball).map((problem) => `${tarball.name}: ${problem}`),
);
for (const { name, version, paths, size } of tarballs) {
  console.log(`${`${name}@${version}`.padEnd(40)} ${paths.length} files, ${size / 1000} kB`);
}
for (const problem of problems) console.error(problem);
console.log(`packed to ${folder}`);
if (problems.length > 0) process.exitCode = 1;
else if (!values["dry-run"]) {
  // pnpm does not look at `publishConfig.provenance`. Where no one can vouch for the build, it refuses to publish.
  const { registry } = values;
  const env = {
    ...process.env,
    PNPM_CONFIG_PROVENANCE: registry === undefined ? "true" : "false",
    // npm reads the first, pnpm the second.
    ...(registry !== undefined && {
      npm_config_registry: registry,
      pnpm_config_registry: registry,
    }),
  };
  execFileSync("changeset", ["publish"], { cwd: rootFolder, stdio: "inherit", env });
}
