import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/** Proves that each patch of chaos/mutations applies, says what it breaks, and names tests that are there. Whether they notice is `chaos`. */

const patches = globSync("chaos/mutations/*.patch", { cwd: rootFolder }).toSorted();
let problems = 0;
for (const patch of patches) {
  for (const problem of problemsOf(patch)) {
    console.error(`${basename(patch)}: ${problem}`);
    problems++;
  }
}
console.log(`${patches.length} mutations, ${problems} problems`);
if (problems > 0) process.exitCode = 1;

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
