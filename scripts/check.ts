import { spawnSync } from "node:child_process";
import { parseArgs, styleText } from "node:util";

import { rootFolder } from "./workspace-packages.ts";

/** Runs every check, also after one has failed, with a line for each; or those that the command line names. */

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
  { name: "types", what: "types, with tests", command: "turbo run types --continue" },
  { name: "lint", what: "lint", command: "oxlint", fix: "oxlint --fix" },
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
  { name: "features", what: "table of features", command: "node scripts/check-features.ts" },
  { name: "figures", what: "figures of the README", command: "node scripts/check-figures.ts" },
  { name: "maps", what: "maps of the packages", command: "node scripts/check-maps.ts" },
  { name: "mutations", what: "mutations apply", command: "node scripts/check-mutations.ts" },
  { name: "site", what: "documentation site", command: "pnpm --dir docs run --silent site" },
  { name: "sizes", what: "sizes, no Node", command: "node scripts/check-sizes.ts", after: "build" },
  { name: "changeset", what: "changeset", command: "node scripts/check-changeset.ts" },
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
else run(chosen(positionals));

function run(wanted: readonly Check[]): void {
  const failed = wanted.filter((one) => !check(one));
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

function check({ what, command, fix }: Check): boolean {
  const start = performance.now();
  const shown = values.fix && fix !== undefined ? fix : command;
  const { status, stdout, stderr } = spawnSync(shown, {
    cwd: rootFolder,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    shell: true,
  });
  const passed = status === 0;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const mark = passed ? styleText("green", "ok    ") : styleText("red", "FAILED");
  console.log(`${mark} ${what.padEnd(24)} ${seconds.padStart(5)} s  ${styleText("dim", shown)}`);
  // The tools are told to be quiet; what our own scripts say is worth a line.
  if (!passed || command.startsWith("node ")) console.log(indent(stdout + stderr));
  return passed;
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
