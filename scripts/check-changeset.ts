import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { readChangesets } from "@changesets/read";

import { type PublishedPackage, publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Demands a changeset where the sources of a published package differ from the tag of its version.
 * The packages are versioned together, so a changeset for one of them covers them all.
 */

const packages = publishedPackages();
const changed = packages.filter(hasChanged).map(({ name }) => name);
const named = (await readChangesets(rootFolder)).flatMap(({ releases }) => releases);
const isCovered = packages.some(({ name }) => named.some((release) => release.name === name));

console.log(`changed since their last version: ${changed.join(", ") || "none"}`);
if (changed.length > 0 && !isCovered) {
  console.error("No changeset says so. Run `pnpm changeset` and say what a user notices.");
  process.exitCode = 1;
}

function hasChanged({ name, version, folder }: PublishedPackage): boolean {
  const tag = `${name}@${version}`;
  const sources = [join(folder, "src"), ":(exclude,glob)**/*.test.ts"];
  if (git("rev-parse", "--verify", `refs/tags/${tag}`) === undefined) {
    // Never released; any other version without its tag has just been prepared for release.
    return version === "0.0.0";
  }
  const edited = git("diff", "--name-only", tag, "--", ...sources);
  const added = git("ls-files", "--others", "--exclude-standard", "--", ...sources);
  return edited !== "" || added !== "";
}

/** Returns what git printed, or `undefined` where it failed. */
function git(...options: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", options, { cwd: rootFolder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
