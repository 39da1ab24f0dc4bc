import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { findExamples } from "./find-examples.ts";
import { findExports, findMembers } from "./find-exports.ts";
import { findInlineCode, findLinks } from "./find-links.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Resolves what the table of features names: each export (`package#name`, `package/entry#name`, `package#Interface.member`) in
 * the built packages. What shows it is a test, which check-links.ts resolves, or a source file with an asserted example; a row
 * without either says that the feature is not there.
 */

const page = "docs/features.md";
const demo = {
  name: "@agent-history/demo-agent",
  file: join(rootFolder, "apps/demo-agent/dist/src/index.js"),
};
const entries = [...publishedPackages().flatMap((one) => one.entries), demo];
const lines = readFileSync(join(rootFolder, page), "utf8").split("\n");

const rows = lines.flatMap((line, index) => {
  // Cells are divided by bars that no backslash stands before.
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  const isRow = cells.length === 3 && !/^[\s:-]*$/.test(cells[0] ?? "");
  return isRow && lines[index + 1]?.startsWith("| -") !== true
    ? [{ location: `${page}:${index + 1}`, cells }]
    : [];
});
const problems = rows.flatMap(({ location, cells: [, exports = "", shown = ""] }) => [
  ...findInlineCode(exports)
    .filter((name) => !isExported(name))
    .map((name) => `${location} is not exported: ${name}`),
  ...(isShown(exports, shown)
    ? []
    : [`${location} names no export and test, nor why there is none`]),
]);

for (const problem of problems) console.error(problem);
console.log(`${rows.length} features, ${problems.length} problems`);
if (rows.length === 0 || problems.length > 0) process.exitCode = 1;

function isShown(exports: string, shown: string): boolean {
  if (/^\s*Not there: \S/.test(shown)) return true;
  const files = findLinks(shown).map(({ url }) => join(rootFolder, "docs", url));
  return findInlineCode(exports).length > 0 && files.length > 0 && files.every(isProof);
}

function isProof(file: string): boolean {
  if (file.endsWith(".test.ts")) return true;
  const examples = file.endsWith(".ts") ? findExamples(file, readFileSync(file, "utf8")) : [];
  return examples.some(({ run, code }) => run && code.includes("// =>"));
}

function isExported(reference: string): boolean {
  const [entryName = "", name = ""] = reference.split("#");
  const entry = entries.find((one) => one.name === `@agent-history/${entryName}`);
  if (entry === undefined) return false;
  const declarations = entry.file.replace(/\.js$/, ".d.ts");
  const names = findExports(declarations, readFileSync(declarations, "utf8"));
  const [owner = "", member] = name.split(".");
  return names.includes(owner) && (member === undefined || membersBelow(entryName).has(name));
}

function membersBelow(entryName: string): ReadonlySet<string> {
  const [folder = ""] = entryName.split("/");
  const files = globSync(`{packages,apps}/${folder}/dist/**/*.d.ts`, { cwd: rootFolder });
  return new Set(
    files.flatMap((file) => findMembers(file, readFileSync(join(rootFolder, file), "utf8"))),
  );
}
