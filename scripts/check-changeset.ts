import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { readChangesets } from "@changesets/read";

import { missingMajors } from "./missing-majors.ts";
import { type PublishedPackage, publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Demands a changeset for each published package whose sources differ from the tag of its version, and a major of every package
 * that stands on core where core has one. Each package has a version of its own.
 */

const packages = publishedPackages();
const changed = packages.filter(hasChanged).map(({ name }) => name);
const releases = (await readChangesets(rootFolder)).flatMap((changeset) => changeset.releases);
const named = new Set(releases.map(({ name }) => name));
const silent = changed.filter((name) => !named.has(name));
const behind = missingMajors(releases, packages);

console.log(`changed since their last version: ${changed.join(", ") || "none"}`);
if (silent.length > 0) {
  console.error(`No changeset names ${silent.join(", ")}.`);
  console.error("Run `npx -y pnpm@12 changeset` and say what a user notices.");
}
if (behind.length > 0) {
  console.error(`core has a major, so these need one too: ${behind.join(", ")}.`);
}
if (silent.length > 0 || behind.length > 0) process.exitCode = 1;

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
