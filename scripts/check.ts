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
  readonly command: string;
  /** Corrects what can be corrected without a person. */
  readonly fix?: string;
  readonly needsBuild?: true;
}

const checks: readonly Check[] = [
  { name: "build", command: "turbo run build" },
  {
    name: "types",
    command: "tsc -p packages && tsc -p packages/inspector/page && tsc -p apps && tsc -p docs",
  },
  { name: "lint", command: "oxlint", fix: "oxlint --fix" },
  { name: "format", command: "oxfmt --check", fix: "oxfmt" },
  {
    name: "unused",
    command: [
      "knip --tsConfig tsconfig.build.json",
      "knip --config knip.published.jsonc --tsConfig tsconfig.build.json --production --include files,exports",
    ].join(" && "),
  },
  { name: "examples", command: "node scripts/check-doc-examples.ts", needsBuild: true },
  { name: "links", command: "node scripts/check-links.ts" },
  {
    name: "packages",
    command: "turbo run publint --continue && node scripts/check-bundles.ts",
    needsBuild: true,
  },
  { name: "size", command: "node scripts/check-size.ts" },
  { name: "mutations", command: "node scripts/check-mutations.ts" },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fix: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(`pnpm check               every check
pnpm check NAME …        these alone
pnpm check --fix         formats, corrects what lint can correct, and checks`);
  for (const { name, command } of checks) console.log(`  ${name.padEnd(10)} ${command}`);
} else {
  await run(chosen(positionals));
}

async function run(wanted: readonly Check[]): Promise<void> {
  const failed: string[] = [];
  const work = async (waiting: Check[]): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (!(await hasPassed(one))) failed.push(one.name);
    }
  };
  await work(wanted.filter(({ name }) => name === "build"));
  const others = wanted.filter(({ name }) => name !== "build");
  // What corrects files must not be read meanwhile.
  const lines = values.fix ? 1 : availableParallelism();
  await Promise.all(Array.from({ length: lines }, () => work(others)));
  if (failed.length === 0) return;
  console.error(`\nfailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** The checks of these names, with the build where one needs it; all of them if none is named. */
function chosen(names: readonly string[]): readonly Check[] {
  if (names.length === 0) return checks;
  const wanted = checks.filter(({ name }) => names.includes(name));
  const known = checks.map(({ name }) => name).join(", ");
  if (wanted.length < names.length)
    throw new Error(`Expected names of ${known}; got ${names.join(", ")}.`);
  const needsBuild = wanted.some((one) => one.needsBuild === true);
  return checks.filter((one) => wanted.includes(one) || (needsBuild && one.name === "build"));
}

async function hasPassed({ name, command, fix }: Check): Promise<boolean> {
  const start = performance.now();
  const shown = values.fix && fix !== undefined ? fix : command;
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1" };
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  exec(shown, { cwd: rootFolder, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
    resolve(error === null ? undefined : stdout + stderr);
  });
  const failure = await promise;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const mark = failure === undefined ? styleText("green", "ok    ") : styleText("red", "FAILED");
  console.log(
    `${mark} ${name.padEnd(10)} ${seconds.padStart(5)} s  ${styleText("dim", shown.slice(0, 80))}`,
  );
  if (failure !== undefined) console.log(failure.trimEnd().replace(/^/gm, "         "));
  return failure === undefined;
}
