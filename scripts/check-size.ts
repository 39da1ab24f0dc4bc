import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Holds each package and app to its budget of lines of code, in size-budgets.json: lines that are neither blank nor comment. Tests,
 * test-support and bench are left out. A package above its budget is listed there by name, with what will bring it down and the lines
 * that it must not pass until then.
 */

interface Budgets {
  readonly budgets: Readonly<Record<string, number>>;
  readonly above: Readonly<Record<string, { readonly lines: number; readonly until: string }>>;
}

const { budgets, above }: Budgets = JSON.parse(
  readFileSync(join(import.meta.dirname, "size-budgets.json"), "utf8"),
);
const isCode = /\.(ts|tsx|mts|mjs|js|css|lua|sql)$/;
const isLeftOut =
  /\.test\.tsx?$|\/(test-support|test-messages|testing|bench|dist|fixtures|results)\//;

const counts = new Map<string, number>();
const files = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" });
for (const file of files.split("\n")) {
  const [, name] = /^(?:(?:packages|apps)\/(?=[^/]+\/))?([^/]+)\//.exec(file) ?? [];
  const isCounted = /^(packages|apps|scripts|docs)\//.test(file) && isCode.test(file);
  // A file that was deleted and not yet committed is still listed.
  if (name === undefined || !isCounted || isLeftOut.test(file)) continue;
  if (!existsSync(join(rootFolder, file))) continue;
  counts.set(name, (counts.get(name) ?? 0) + linesOfCode(file));
}

const problems: string[] = [];
for (const name of Object.keys(above)) if (!counts.has(name)) counts.set(name, 0);
for (const [name, lines] of [...counts].toSorted((a, b) => b[1] - a[1])) {
  const budget = budgets[name];
  const listed = above[name];
  const reason = listed === undefined ? "" : `, at most ${listed.lines} until ${listed.until}`;
  console.log(`${name.padEnd(18)} ${String(lines).padStart(6)} of ${budget ?? "?"}${reason}`);
  if (budget === undefined) problems.push(`${name} has no budget`);
  else if (listed === undefined && lines > budget)
    problems.push(`${name} is ${lines - budget} lines above its budget of ${budget}`);
  else if (listed !== undefined && lines <= budget)
    problems.push(`${name} is within its budget: take it off the list "above"`);
  else if (listed !== undefined && lines > listed.lines)
    problems.push(`${name} has grown: ${lines} lines, at most ${listed.lines} are allowed`);
}
const sum = [...counts.values()].reduce((all, lines) => all + lines, 0);
console.log(`${"together".padEnd(18)} ${String(sum).padStart(6)}`);
for (const problem of problems) console.error(`${problem} (scripts/size-budgets.json)`);
if (problems.length > 0) process.exitCode = 1;

function linesOfCode(file: string): number {
  const isDashed = /\.(lua|sql)$/.test(file);
  let isComment = false;
  let lines = 0;
  for (const raw of readFileSync(join(rootFolder, file), "utf8").split("\n")) {
    const line = raw.trim();
    if (isComment) isComment = !line.includes("*/");
    else if (line.startsWith("/*")) isComment = !line.includes("*/");
    else if (line !== "" && !line.startsWith("//") && !(isDashed && line.startsWith("--"))) lines++;
  }
  return lines;
}
