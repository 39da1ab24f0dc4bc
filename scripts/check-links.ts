import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { fromMarkdown } from "mdast-util-from-markdown";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Opens every link of the Markdown files that leads to a file of this repository. A link to a test names a test of that file, in its title or, without one, in its text: a
 * promise cannot outlive what proves it.
 */

const ownFile = /^https:\/\/github\.com\/agent-history\/agent-history\/(?:blob|tree)\/main\//;
/** What npm shows: a relative link would lead nowhere there, and in `node_modules`. */
const published = /^packages\/[^/]+\/(?:README|SKILL)\.md$/;

type Page = ReturnType<typeof fromMarkdown>;
type Node = Page | Page["children"][number];
type Link = Extract<Node, { readonly type: "link" }>;

const pages = globSync(["*.md", "docs/**/*.md", "{packages,apps}/*/*.md", "chaos/*.md"], {
  cwd: rootFolder,
  exclude: ["**/node_modules/**", "**/CHANGELOG.md"],
}).toSorted();

for (const page of pages) {
  for (const link of linksOf(parse(page))) {
    const isOwn = ownFile.test(link.url);
    if (/^[a-z]+:/.test(link.url) && !isOwn) continue;
    const problem = isOwn
      ? problemOf("README.md", { ...link, url: link.url.replace(ownFile, "") })
      : problemOf(page, link);
    if (problem === undefined) continue;
    console.error(`${page}:${link.position?.start.line ?? 0} ${problem}`);
    process.exitCode = 1;
  }
}
console.log(`links of ${pages.length} pages`);

function problemOf(page: string, link: Link): string | undefined {
  const { url } = link;
  if (published.test(page) && !url.startsWith("#"))
    return `is relative, and leads nowhere on npm: write it with https://github.com/…: ${url}`;
  const title = link.title ?? textOf(link);
  const [path = "", anchor] = url.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(rootFolder, file))) return `leads nowhere: ${url}`;
  if (file.endsWith(".md") && anchor !== undefined) {
    return anchorsOf(parse(file)).includes(anchor) ? undefined : `names no heading: ${url}`;
  }
  if (!file.endsWith(".test.ts")) return undefined;
  const tests = readFileSync(join(rootFolder, file), "utf8");
  const isNamed = [JSON.stringify(title), `'${title}'`, `\`${title}\``].some((one) =>
    tests.includes(one),
  );
  return isNamed ? undefined : `names no test of ${url}: ${title}`;
}

function parse(file: string): Page {
  return fromMarkdown(readFileSync(join(rootFolder, file), "utf8"));
}

function linksOf(node: Node): readonly Link[] {
  if (node.type === "link") return [node];
  return "children" in node ? node.children.flatMap(linksOf) : [];
}

/** What a link may name behind `#`: the headings, as GitHub writes them there. */
function anchorsOf({ children }: Page): string[] {
  return children.flatMap((node) => {
    if (node.type !== "heading") return [];
    const words = textOf(node)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    return [words.replaceAll(/\s/g, "-")];
  });
}

function textOf(node: Node): string {
  if ("children" in node) return node.children.map(textOf).join("");
  return "value" in node ? node.value : "";
}
