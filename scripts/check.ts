import { exec } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs, styleText } from "node:util";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Runs every check, also after one has failed, with a line for each; or those that the command line names. The build comes first, the
 * others side by side.
 */

interface Check {
  /** What the command line calls it. */
  readonly name: string;
  readonly what: string;
  readonly command: string;
  /** Corrects what can be corrected without a person. */
  readonly fix?: string;
  /** The check that must have run before. */
  readonly after?: string;
}

const checks: readonly Check[] = [
  { name: "build", what: "the build", command: "turbo run build" },
  {
    name: "types",
    what: "types, with tests",
    command: "tsc -p packages && tsc -p packages/inspector/page && tsc -p apps && tsc -p docs",
  },
  { name: "lint", what: "lint", command: "oxlint", fix: "oxlint --fix" },
  { name: "site", what: "documentation site", command: "pnpm --dir docs run --silent site" },
  { name: "format", what: "format", command: "oxfmt --check", fix: "oxfmt" },
  { name: "packages", what: "packages", command: "turbo run publint --continue" },
  { name: "unused", what: "unused code", command: "knip --tsConfig tsconfig.build.json" },
  {
    name: "examples",
    what: "documentation examples",
    command: "node scripts/check-doc-examples.ts",
    after: "build",
  },
  { name: "links", what: "links, and tests named", command: "node scripts/check-links.ts" },
  { name: "mutations", what: "mutations apply", command: "node scripts/check-mutations.ts" },
  { name: "size", what: "lines of code", command: "node scripts/check-size.ts" },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fix: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help || values.list) list();
else await run(chosen(positionals));

async function run(wanted: readonly Check[]): Promise<void> {
  const outcomes = new Map<Check, boolean>();
  // What corrects files is not to be read meanwhile.
  const lines = values.fix ? 1 : Math.min(4, availableParallelism());
  const work = async (waiting: Check[]): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      outcomes.set(one, await check(one));
    }
  };
  await work(wanted.filter(isBuild));
  const waiting = wanted.filter((one) => !isBuild(one));
  await Promise.all(Array.from({ length: lines }, () => work(waiting)));
  const failed = wanted.filter((one) => outcomes.get(one) !== true);
  if (failed.length === 0) return;
  console.error(`\nfailed: ${failed.map(({ name }) => name).join(", ")}`);
  console.error(`One alone: npx -y pnpm@12 check ${failed[0]?.name}`);
  process.exitCode = 1;
}

/** The checks of these names, with what must have run before; all of them where none is named. */
function chosen(names: readonly string[]): readonly Check[] {
  const unknown = names.filter((name) => !checks.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = checks.map(({ name }) => name).join(", ");
    console.error(`There is no check ${unknown.join(", ")}. There are ${known}.`);
    process.exit(1);
  }
  if (names.length === 0) return checks;
  const wanted = new Set(names);
  for (const { name, after } of checks) {
    if (wanted.has(name) && after !== undefined) wanted.add(after);
  }
  return checks.filter(({ name }) => wanted.has(name));
}

function isBuild({ name }: Check): boolean {
  return name === "build";
}

async function check({ what, command, fix }: Check): Promise<boolean> {
  const start = performance.now();
  const shown = values.fix && fix !== undefined ? fix : command;
  const { passed, output } = await shell(shown);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const mark = passed ? styleText("green", "ok    ") : styleText("red", "FAILED");
  console.log(`${mark} ${what.padEnd(24)} ${seconds.padStart(5)} s  ${styleText("dim", shown)}`);
  // The tools are told to be quiet; what our own scripts say is worth a line.
  if (!passed || command.startsWith("node ")) console.log(indent(output));
  return passed;
}

function shell(command: string): Promise<{ readonly passed: boolean; readonly output: string }> {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1" };
  return new Promise((resolve) => {
    exec(command, { cwd: rootFolder, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ passed: error === null, output: stdout + stderr });
    });
  });
}

function list(): void {
  console.log("pnpm check               every check");
  console.log("pnpm check NAME …        these alone");
  console.log("pnpm check --fix         formats, corrects what lint can correct, and checks");
  for (const { name, what, command } of checks) {
    console.log(`  ${name.padEnd(12)} ${what.padEnd(24)} ${command}`);
  }
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "         ");
}
