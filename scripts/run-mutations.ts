import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { styleText } from "node:util";

import { firstFailingTest } from "./first-failing-test.ts";
import { type ThrowAwayCopy, throwAwayCopy } from "./throw-away-copy.ts";
import { rootFolder } from "./workspace-packages.ts";

/** A patch that breaks something, and the test files that should notice. */
interface Mutation {
  readonly name: string;
  readonly patch: string;
  readonly tests: readonly string[];
}

/**
 * Applies each patch of chaos/mutations to a copy, one by one, and names the test that turned red.
 *
 * A patch names its tests in lines such as `# test: packages/core/src/select-entries.test.ts` above
 * the diff; one without is tried on all tests of the packages it touches.
 *
 * @returns How many patches no test noticed, or could not be tried.
 */
export function runMutations(words: readonly string[]): number {
  const mutations = readMutations(words);
  if (mutations.length === 0) throw new Error(`No mutation is named so: ${words.join(" ")}`);
  const copy = throwAwayCopy();
  try {
    const broken = firstFailingTest(copy.folder, [
      ...new Set(mutations.flatMap(({ tests }) => tests)),
    ]);
    if (broken !== undefined) throw new Error(`The tests fail without any mutation: ${broken}`);
    const survivors = mutations.filter((mutation) => !isNoticed(copy, mutation));
    console.log(`${mutations.length} mutations, ${survivors.length} not noticed`);
    return survivors.length;
  } finally {
    copy.remove();
  }
}

function readMutations(words: readonly string[]): Mutation[] {
  return globSync("chaos/mutations/*.patch", { cwd: rootFolder })
    .toSorted()
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .map((file) => {
      const patch = join(rootFolder, file);
      const text = readFileSync(patch, "utf8");
      const named = [...text.matchAll(/^# test: (\S+)$/gm)].map(([, path = ""]) => path);
      const touched = [...text.matchAll(/^\+\+\+ b\/(\w+\/[\w-]+)\//gm)].map(
        ([, path = ""]) => path,
      );
      return { name: basename(file, ".patch"), patch, tests: named.length > 0 ? named : touched };
    });
}

function isNoticed(copy: ThrowAwayCopy, { name, patch, tests }: Mutation): boolean {
  if (!run(copy, "git", "apply", patch)) return tell("does not apply", name);
  try {
    const failure = firstFailingTest(copy.folder, tests);
    return failure === undefined ? tell("SURVIVED", name) : tell("red", name, failure);
  } finally {
    run(copy, "git", "apply", "--reverse", patch);
  }
}

function tell(verdict: "red" | "SURVIVED" | "does not apply", name: string, detail = ""): boolean {
  const mark = styleText(verdict === "red" ? "green" : "red", verdict.padEnd(14));
  console.log(`${mark} ${name.padEnd(40)} ${detail}`);
  return verdict === "red";
}

function run({ folder }: ThrowAwayCopy, command: string, ...options: string[]): boolean {
  // In a repository around the copy, git would apply patches to that.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  return spawnSync(command, options, { cwd: folder, env, stdio: "ignore" }).status === 0;
}
