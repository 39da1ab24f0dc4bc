import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual, inspect } from "node:util";

import { assertArrows } from "./assert-arrows.ts";
import { type Example, findExamples, indexIn } from "./find-examples.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Compiles every `ts` fence of the documentation against the built packages, runs it, and
 * compares what stands after `// =>` with what comes out.
 */

const documentation = [
  "*.md",
  "docs/**/*.md",
  "{packages,apps}/*/README.md",
  "packages/*/src/**/*.ts",
];
const folder = join(rootFolder, "scripts/.examples");

const problems: string[] = [];
const examples = globSync(documentation, {
  cwd: rootFolder,
  exclude: ["**/*.test.ts", "**/node_modules/**"],
})
  .toSorted()
  .flatMap((file) => findExamples(file, readFileSync(join(rootFolder, file), "utf8")));

const files = writeExamples();
compileExamples();
Object.assign(globalThis, {
  assertEqual: (actual: unknown, expected: unknown, location: string) => {
    if (isDeepStrictEqual(actual, expected)) return;
    problems.push(`${location} expected ${inspect(expected)}, got ${inspect(actual)}`);
  },
});
for (const [file, example] of files) if (example.run) await runExample(file);
rmSync(folder, { recursive: true });

for (const problem of problems) console.error(problem);
console.log(`${examples.length} examples, ${problems.length} problems`);
// An example may leave a timer behind.
process.exit(problems.length === 0 ? 0 : 1);

function writeExamples(): Map<string, Example> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // As a user sees the packages: built, without the condition that leads to the sources.
  const compilerOptions = { customConditions: [] };
  const tsconfig = {
    extends: "../../tsconfig.test.json",
    compilerOptions,
    include: ["*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  return new Map(examples.flatMap((example, index) => writeExample(example, `${index}.ts`)));
}

function writeExample(example: Example, file: string): [string, Example][] {
  try {
    // On the first line, so that line numbers hold; a module even without imports.
    const header = "declare const assertEqual: (...values: unknown[]) => void; export {}; ";
    writeFileSync(join(folder, file), header + assertArrows(example));
    return [[file, example]];
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return [];
  }
}

function compileExamples(): void {
  const options = ["-p", folder, "--noUnusedLocals", "false", "--pretty", "false"];
  const { status, stdout } = spawnSync(join(rootFolder, "node_modules/.bin/tsc"), options, {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === 0) return;
  const found = [...stdout.matchAll(/^(\d+\.ts)\((\d+),\d+\): (.*)$/gm)];
  if (found.length === 0) problems.push(`tsc failed: ${stdout}`);
  for (const [, file = "", line, text] of found) report(file, Number(line), text);
}

async function runExample(file: string): Promise<void> {
  try {
    await import(join(folder, file));
  } catch (error) {
    const stack = error instanceof Error ? error.stack : "";
    const line = stack?.match(/\.examples\/\d+\.ts:(\d+)/)?.[1];
    report(file, Number(line ?? 1), error);
  }
}

function report(file: string, line: number, problem: unknown): void {
  const example = files.get(file);
  problems.push(`${example ? indexIn(example, line) : file} ${String(problem)}`);
}
