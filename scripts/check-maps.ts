import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/** Proves that every package and app stands wherever the repository lists them. */

/** The text of a file; none where there is no such file. */
const read = (file: string): string => {
  const path = join(rootFolder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};
const folders = globSync("{packages,apps}/*/package.json", { cwd: rootFolder }).map((file) =>
  dirname(file),
);
const published = new Map(publishedPackages().map((one) => [basename(one.folder), one.name]));

const problems = folders.toSorted().flatMap((folder) => {
  const name = basename(folder);
  const isBuilt = globSync(`${folder}/tsconfig.build.json`, { cwd: rootFolder }).length > 0;
  const locations: readonly [boolean, string, string][] = [
    [true, "README.md", name],
    [true, "AGENTS.md", name],
    [isBuilt, "tsconfig.json", `"${folder}/tsconfig.build.json"`],
    [published.has(name), "scripts/package.json", `"${published.get(name)}"`],
    [published.has(name), "docs/.vitepress/config.ts", name],
    [published.has(name), `${folder}/README.md`, `# ${published.get(name)}`],
  ];
  return locations
    .filter(([isDue, file, text]) => isDue && !mentions(file, text))
    .map(([, file, text]) => `${file} does not name ${text}`);
});

for (const problem of problems) console.error(problem);
console.log(`${folders.length} packages and apps, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** Whether a file has a text that no longer name contains: `store-kit` is not in `store-kitchen`. */
function mentions(file: string, text: string): boolean {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(read(file));
}
