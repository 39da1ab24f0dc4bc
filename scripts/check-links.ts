import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { findAnchors, findLinks, type MarkdownLink } from "./find-links.ts";
import { findTestTitles } from "./find-test-titles.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Opens every relative link of the Markdown files. A link to a test names a test of that file, in its title or, without one,
 * in its text; so a promise cannot outlive what proves it.
 */

const pages = globSync(["*.md", "docs/**/*.md", "{packages,apps}/*/*.md", "chaos/*.md"], {
  cwd: rootFolder,
  exclude: ["**/node_modules/**", "**/CHANGELOG.md"],
}).toSorted();

const links = pages.flatMap((page) =>
  findLinks(readFileSync(join(rootFolder, page), "utf8"))
    .filter(({ url }) => !/^[a-z]+:/.test(url))
    .map((link) => ({ page, link })),
);
const problems = links.flatMap(({ page, link }) => {
  const problem = problemOf(page, link);
  return problem === undefined ? [] : [`${page}:${link.line} ${problem}`];
});

for (const problem of problems) console.error(problem);
const tests = links.filter(({ link }) => link.url.endsWith(".test.ts")).length;
console.log(`${links.length} links, ${tests} of them to tests, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function problemOf(page: string, { url, text, title = text }: MarkdownLink): string | undefined {
  const [path = "", anchor] = url.split("#");
  const file = path === "" ? join(rootFolder, page) : join(rootFolder, dirname(page), path);
  if (!existsSync(file)) return `leads nowhere: ${url}`;
  if (file.endsWith(".md") && anchor !== undefined) {
    const anchors = findAnchors(readFileSync(file, "utf8"));
    return anchors.includes(anchor) ? undefined : `names no heading: ${url}`;
  }
  if (!file.endsWith(".test.ts")) return undefined;
  const titles = findTestTitles(file, readFileSync(file, "utf8"));
  return titles.includes(title) ? undefined : `names no test of ${url}: ${title}`;
}
