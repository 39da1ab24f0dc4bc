import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

import { defineConfig } from "vitepress";

/**
 * The site is the Markdown of this repository as it stands: the pages of `docs` and every README. Its links are written for
 * the repository; here those to source files open it, and one that leads nowhere fails the build.
 */

const rootFolder = join(import.meta.dirname, "../..");
const repository = "https://github.com/agent-history/agent-history/blob/main";
const OWN_PAGE = /^https:\/\/github\.com\/agent-history\/agent-history\/(?:blob|tree)\/main\/(.+)/;

/** Pages outside this folder find Vue where VitePress does. */
const vue = dirname(createRequire(import.meta.resolve("vitepress")).resolve("vue/package.json"));

const ABOUT =
  "Keeps an AI agent's message history inside the model's context window, without breaking tool calls.";

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="2" width="8" height="5" rx="2" fill="#a8b1ff"/><rect x="1" y="9" width="14" height="5" rx="2" fill="#3451b2"/></svg>';

/** The sections of docs/README.md: a group for each heading, an item for each link. */
const [, ...sections] = readFileSync(join(rootFolder, "docs/README.md"), "utf8").split(/^## /m);
const sidebar = sections.map((section) => ({
  text: section.split("\n", 1)[0] ?? "",
  items: [...section.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text = "", href = ""]) => ({
    text: text.replaceAll("`", ""),
    link: siteLink(join(rootFolder, "docs"), href).replace(/\.md$/, ""),
  })),
}));
sidebar.push({ text: "Reference", items: [{ text: "All exports", link: "/reference/index" }] });

export default defineConfig({
  title: "agent-history",
  description: ABOUT,
  // Two messages, the older one shorter.
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: "..",
  srcExclude: ["**/node_modules/**", "**/dist/**", "**/CHANGELOG.md"],
  rewrites: (page) => (page === "README.md" ? "overview.md" : page.replace(/^docs\//, "")),
  vite: {
    // The playground is drawn by Preact.
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    resolve: {
      alias: [
        { find: /^vue$/, replacement: join(vue, "dist/vue.runtime.esm-bundler.js") },
        { find: "vue/server-renderer", replacement: join(vue, "server-renderer/index.mjs") },
      ],
    },
  },
  markdown: {
    config(md) {
      md.core.ruler.push("links-of-the-repository", ({ tokens, env }) => {
        const folder = dirname(String(env.realPath ?? join(rootFolder, "README.md")));
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href") ?? "";
          const own = OWN_PAGE.exec(href)?.[1];
          if (own !== undefined) token.attrSet("href", siteLink(rootFolder, own));
          else if (/^(?![a-z]+:)[^#/]/.test(href)) token.attrSet("href", siteLink(folder, href));
        }
      });
    },
  },
  /** Writes each page as Markdown beside its HTML, and llms.txt with the pages of the sidebar, for agents that read. */
  buildEnd({ pages, srcDir, outDir, rewrites }) {
    for (const page of pages) {
      const target = join(outDir, rewrites.map[page] ?? page);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(srcDir, page), target);
    }
    const parts = sidebar.map(({ text, items }) =>
      [`## ${text}`, "", ...items.map((one) => `- [${one.text}](${one.link}.md)`)].join("\n"),
    );
    writeFileSync(
      join(outDir, "llms.txt"),
      `# agent-history\n\n> ${ABOUT}\n\n${parts.join("\n\n")}\n`,
    );
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Playground", link: "/playground" },
      { text: "Guide", link: "/guide/first-fit" },
      { text: "Reference", link: "/reference/index" },
      { text: "Benchmarks", link: "/benchmarks" },
    ],
    sidebar,
  },
});

/** Where a link of the repository leads on the site: a page of it, or the repository. */
function siteLink(folder: string, href: string): string {
  const [path = "", hash] = href.split("#");
  const target = resolve(folder, path);
  const stat = statSync(target, { throwIfNoEntry: false });
  // Left as it is, it is found dead.
  if (stat === undefined) return href;
  const readme = join(target, "README.md");
  const file = relative(rootFolder, stat.isDirectory() && existsSync(readme) ? readme : target);
  const page = file === "README.md" ? "overview.md" : file.replace(/^docs\//, "");
  const link = file.endsWith(".md") ? `/${page}` : `${repository}/${file}`;
  return hash === undefined ? link : `${link}#${hash}`;
}
