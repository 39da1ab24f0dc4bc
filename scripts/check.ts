import { spawnSync } from "node:child_process";
import { styleText } from "node:util";

import { rootFolder } from "./workspace-packages.ts";

/** Runs every check, also after one has failed, with a line for each. */

const checks: readonly { readonly name: string; readonly command: string }[] = [
  { name: "build", command: "turbo run build" },
  { name: "types, with tests", command: "turbo run types --continue" },
  { name: "lint", command: "oxlint" },
  { name: "format", command: "oxfmt --check" },
  { name: "packages", command: "turbo run publint --continue" },
  { name: "unused code", command: "knip --tsConfig tsconfig.build.json" },
  { name: "documentation examples", command: "node scripts/check-doc-examples.ts" },
  { name: "links, and tests named", command: "node scripts/check-links.ts" },
  { name: "table of features", command: "node scripts/check-features.ts" },
  { name: "figures of the README", command: "node scripts/check-figures.ts" },
  { name: "documentation site", command: "pnpm --dir docs run --silent site" },
  { name: "sizes, no Node", command: "node scripts/check-sizes.ts" },
  { name: "changeset", command: "node scripts/check-changeset.ts" },
];

const failed = checks.filter(({ name, command }) => !check(name, command));
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.map(({ name }) => name).join("; ")}`);
  process.exitCode = 1;
}

function check(name: string, command: string): boolean {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: rootFolder,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    shell: true,
  });
  const passed = status === 0;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const mark = passed ? styleText("green", "ok    ") : styleText("red", "FAILED");
  console.log(`${mark} ${name.padEnd(24)} ${seconds.padStart(5)} s  ${styleText("dim", command)}`);
  // The tools are told to be quiet; what our own scripts say is worth a line.
  if (!passed || command.startsWith("node ")) console.log(indent(stdout + stderr));
  return passed;
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "         ");
}
