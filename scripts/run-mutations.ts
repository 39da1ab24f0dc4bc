import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { styleText } from "node:util";

import { rootFolder } from "./workspace-packages.ts";

/** A patch that breaks something, and the test files that should notice. */
interface Mutation {
  readonly name: string;
  readonly patch: string;
  readonly tests: readonly string[];
}

/**
 * Applies each patch of chaos/mutations to a copy, one by one, and names the test that turned red. A patch names its tests above the diff, in
 * lines such as `# test: packages/core/src/select-entries.test.ts`.
 *
 * @returns How many patches no test noticed, or could not be tried.
 */
export function runMutations(words: readonly string[]): number {
  const mutations = readMutations(words);
  if (mutations.length === 0) throw new Error(`No mutation has such a name: ${words.join(" ")}`);
  const copy = copyOfWorkingTree();
  try {
    const broken = firstFailingTest(copy, [...new Set(mutations.flatMap(({ tests }) => tests))]);
    if (broken !== undefined) throw new Error(`The tests fail without any mutation: ${broken}`);
    const survivors = mutations.filter((mutation) => !isNoticed(copy, mutation));
    console.log(`${mutations.length} mutations, ${survivors.length} not noticed`);
    return survivors.length;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function readMutations(words: readonly string[]): Mutation[] {
  return globSync("chaos/mutations/*.patch", { cwd: rootFolder })
    .toSorted()
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .map((file) => {
      const patch = join(rootFolder, file);
      const named = readFileSync(patch, "utf8").matchAll(/^# test: (\S+)$/gm);
      return {
        name: basename(file, ".patch"),
        patch,
        tests: [...named].map(([, path = ""]) => path),
      };
    });
}

/**
 * Copies the working tree, uncommitted files included, to a temporary folder. Outside packages are shared with the original; the links
 * between the packages are relative, so that in the copy they lead to the copy.
 */
function copyOfWorkingTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-copy-"));
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", options, { cwd: rootFolder, encoding: "utf8" });
  const sources = stdout.split("\0").filter((path) => path !== "");
  const modules = globSync("{packages/*,apps/*,scripts}/node_modules", { cwd: rootFolder });
  for (const path of [...sources, ...modules]) {
    if (!existsSync(join(rootFolder, path))) continue;
    const verbatim = { recursive: true, verbatimSymlinks: true };
    cpSync(join(rootFolder, path), join(folder, path), verbatim);
  }
  symlinkSync(join(rootFolder, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function isNoticed(copy: string, { name, patch, tests }: Mutation): boolean {
  // In a repository around the copy, git would apply patches to that.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) };
  const apply = (...options: string[]): boolean =>
    spawnSync("git", ["apply", ...options, patch], { cwd: copy, env }).status === 0;
  const hasApplied = apply();
  const failure = hasApplied ? firstFailingTest(copy, tests) : undefined;
  if (hasApplied) apply("--reverse");
  const verdict = failure !== undefined ? "red" : hasApplied ? "SURVIVED" : "does not apply";
  const mark = styleText(failure !== undefined ? "green" : "red", verdict.padEnd(14));
  console.log(`${mark} ${name.padEnd(40)} ${failure ?? ""}`);
  return failure !== undefined;
}

/** Runs test files, relative to the root, until one fails, and names it. */
function firstFailingTest(root: string, tests: readonly string[]): string | undefined {
  const byPackage = Map.groupBy(tests, (path) => path.split("/").slice(0, 2).join("/"));
  const config = ["--config", join(root, "vitest.config.ts"), "--mode=all", "--bail=1"];
  for (const [folder, paths] of byPackage) {
    const files = paths.map((path) => relative(folder, path));
    // Threads end with their process, also one that a mutation sent round in circles.
    const options = ["run", ...config, "--pool=threads", ...files];
    const { status, signal, stdout, stderr } = spawnSync("vitest", options, {
      cwd: join(root, folder),
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
      killSignal: "SIGKILL",
      timeout: 600_000,
    });
    if (status === 0) continue;
    if (signal !== null) return `${folder} > (does not end)`;
    const [, failed] = /^ FAIL {2}(.* > .*)$/m.exec(stderr) ?? [];
    if (failed === undefined) throw new Error(`The tests cannot be run: ${stdout}${stderr}`);
    return `${folder}/${failed}`;
  }
  return undefined;
}
