import { spawnSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, inspect } from "node:util";

import { assertArrows } from "./assert-arrows.ts";
import { type Example, findExamples, indexIn } from "./find-examples.ts";
import { type InstallPacked, packToInstall } from "./test-support/install-packed.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Compiles every `ts` fence of the documentation, runs it, and compares what stands after `// =>` with what comes out. A page's examples stand in a folder of
 * their own, in which only that is installed, as it is packed, which the page says to install.
 */

const documentation = [
  "*.md",
  "docs/**/*.md",
  "{packages,apps}/*/{README,SKILL}.md",
  "packages/*/src/**/*.ts",
];
/** Whoever reads these pages has it, or comes from a page that says so. */
const withAgentHistory = /^(README\.md|docs\/.*|packages\/agent-history\/(README|SKILL)\.md)$/;
const installing = /^(?:npm install|pnpm add) (.*)$/gm;

// The real path, since stacks tell it.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-examples-")));

const problems: string[] = [];
const pages = globSync(documentation, {
  cwd: rootFolder,
  exclude: ["**/*.test.ts", "**/node_modules/**"],
})
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(rootFolder, file), "utf8") }));

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
console.log(`${files.size} examples, ${problems.length} problems`);
// An example may leave a timer behind.
process.exit(problems.length === 0 ? 0 : 1);

function writeExamples(): Map<string, Example> {
  const options = {
    extends: join(rootFolder, "tsconfig.test.json"),
    // As a user sees the packages: without the condition that leads to the sources.
    compilerOptions: { customConditions: [], typeRoots: [join(rootFolder, "node_modules/@types")] },
    include: ["**/*.ts"],
    exclude: ["**/node_modules"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const install = packToInstall(folder, { withPeers: true });
  return new Map(pages.flatMap(({ file, text }) => writePage(file, text, install)));
}

/** Writes the examples of a page to a folder, and installs there what the page says. */
function writePage(file: string, text: string, install: InstallPacked): [string, Example][] {
  const examples = findExamples(file, text);
  if (examples.length === 0) return [];
  const page = file.replaceAll(/[^\w-]+/g, "-");
  mkdirSync(join(folder, page));
  for (const name of file.endsWith(".md") ? installedFor(file, text) : everything()) {
    try {
      install(name, join(folder, page));
    } catch {
      problems.push(`${file}: ${name} is not among the dependencies of scripts/package.json`);
    }
  }
  return examples.flatMap((example, index) => writeExample(example, join(page, `${index}.ts`)));
}

/** What the reader of a page has installed. The page of a private package is read in the workspace. */
function installedFor(file: string, text: string): ReadonlySet<string> {
  if (file.startsWith("apps/")) return everything();
  const said = [...text.matchAll(installing)].flatMap(
    ([, names = ""]) => names.split("#")[0] ?? "",
  );
  const names = said.flatMap((line) => line.split(/\s+/)).filter((name) => /^[@a-z]/.test(name));
  const types = names.map((name) => `@types/${name}`).filter((name) => everything().has(name));
  return new Set([...(withAgentHistory.test(file) ? ["agent-history"] : []), ...names, ...types]);
}

/** What examples in doc comments may import. */
function everything(): ReadonlySet<string> {
  const { devDependencies } = JSON.parse(
    readFileSync(join(rootFolder, "scripts/package.json"), "utf8"),
  );
  return new Set(Object.keys(devDependencies));
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
  const found = [...stdout.matchAll(/^(\S+\.ts)\((\d+),\d+\): (.*)$/gm)];
  if (found.length === 0) problems.push(`tsc failed: ${stdout}`);
  for (const [, file = "", line, text] of found) report(file, Number(line), text);
}

async function runExample(file: string): Promise<void> {
  try {
    await import(join(folder, file));
  } catch (error) {
    const stack = error instanceof Error ? error.stack : "";
    const line = stack?.split(`${file}:`)[1]?.match(/^\d+/)?.[0];
    report(file, Number(line ?? 1), error);
  }
}

function report(file: string, line: number, problem: unknown): void {
  const example = files.get(file);
  problems.push(`${example ? indexIn(example, line) : file} ${String(problem)}`);
}
