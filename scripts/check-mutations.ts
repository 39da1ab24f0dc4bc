import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Proves that each patch of chaos/mutations applies, says in its first line what it breaks, and names tests that exist; that each law has
 * one; and that they stay few. Whether the tests notice is `chaos --mutations`.
 */

const MOST = 80;
const laws = Array.from({ length: 18 }, (_, index) => `L${index + 1}`);

const patches = globSync("chaos/mutations/*.patch", { cwd: rootFolder }).toSorted();
const texts = patches.map((patch) => readFileSync(join(rootFolder, patch), "utf8"));
const problems = [
  ...patches.flatMap((patch, index) =>
    problemsOf(patch, texts[index] ?? "").map((problem) => `${basename(patch)}: ${problem}`),
  ),
  ...laws
    .filter((law) => !texts.some((text) => new RegExp(`^# .*\\b${law}\\b`, "m").test(text)))
    .map((law) => `no mutation breaks ${law}`),
  ...(patches.length > MOST ? [`at most ${MOST} mutations: one for each law and package`] : []),
];
for (const problem of problems) console.error(problem);
console.log(`${patches.length} mutations, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function problemsOf(patch: string, text: string): string[] {
  const tests = [...text.matchAll(/^# test: (\S+)$/gm)].map(([, file = ""]) => file);
  const options = { cwd: rootFolder, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync("git", ["apply", "--check", patch], options);
  return [
    ...(/^# (?!test:)/.test(text) ? [] : ["does not say what it breaks"]),
    ...(tests.length > 0 ? [] : ["names no test"]),
    ...tests
      .filter((file) => !existsSync(join(rootFolder, file)))
      .map((file) => `there is no ${file}`),
    ...(status === 0 ? [] : [`does not apply: ${stderr.trim()}`]),
  ];
}
