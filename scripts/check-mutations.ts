import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Proves that each patch of chaos/mutations applies, says what it breaks, and names tests that are there, and that every law and every published
 * package has one. Whether the tests notice is `chaos --mutations`.
 */

const laws = Array.from({ length: 18 }, (_, index) => `L${index + 1}`);

const patches = globSync("chaos/mutations/*.patch", { cwd: rootFolder }).toSorted();
let problems = 0;
for (const patch of patches) {
  for (const problem of problemsOf(patch)) {
    report(`${basename(patch)}: ${problem}`);
  }
}
const texts = patches.map((patch) => readFileSync(join(rootFolder, patch), "utf8"));
for (const law of laws) {
  const pattern = new RegExp(`^# .*\\b${law}\\b`, "m");
  if (!texts.some((text) => pattern.test(text))) report(`no mutation breaks ${law}`);
}
for (const { folder } of publishedPackages()) {
  const name = basename(folder);
  // A package that is just being begun may wait for its first.
  if (!isCommitted(name)) continue;
  if (!texts.some((text) => text.includes(`+++ b/packages/${name}/`))) {
    report(`no mutation breaks ${name}`);
  }
}
console.log(`${patches.length} mutations, ${problems} problems`);
if (problems > 0) process.exitCode = 1;

function report(problem: string): void {
  console.error(problem);
  problems++;
}

function problemsOf(patch: string): string[] {
  const text = readFileSync(join(rootFolder, patch), "utf8");
  const tests = [...text.matchAll(/^# test: (\S+)$/gm)].map(([, file = ""]) => file);
  const missing = tests.filter((file) => !existsSync(join(rootFolder, file)));
  const { status, stderr } = spawnSync("git", ["apply", "--check", patch], {
    cwd: rootFolder,
    encoding: "utf8",
  });
  return [
    ...(text.startsWith("# ") && !text.startsWith("# test:") ? [] : ["says not what it breaks"]),
    ...(tests.length > 0 ? [] : ["names no test"]),
    ...missing.map((file) => `there is no ${file}`),
    ...(status === 0 ? [] : [`does not apply: ${stderr.trim()}`]),
  ];
}

function isCommitted(name: string): boolean {
  const options = ["ls-files", `packages/${name}/package.json`];
  return spawnSync("git", options, { cwd: rootFolder, encoding: "utf8" }).stdout !== "";
}
