import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitepress";

/**
 * The site is the Markdown of this repository as it stands: the pages of `docs` and every README. Its links are written for
 * the repository; here those to source files open it, and one that leads nowhere fails the build.
 */

const rootFolder = fileURLToPath(new URL("../..", import.meta.url));
const repository = "https://github.com/agent-history/agent-history/blob/main";

/** Pages outside this folder find Vue where VitePress does. */
const vue = dirname(
  createRequire(fileURLToPath(import.meta.resolve("vitepress"))).resolve("vue/package.json"),
);

const packages = ["core", "filters", "postprocess", "tokens", "reducer", "compression"];
const assemblies = [
  "agent-history",
  "history-manager",
  "store-sqlite",
  "store-redis",
  "store-postgres",
  "openai",
  "anthropic",
  "google",
  "ai-sdk",
  "langchain",
  "openai-agents",
  "transcripts",
  "inspector",
  "format-kit",
  "store-kit",
  "testkit",
];

const ABOUT =
  "Keeps an AI agent's message history inside the model's context window, without breaking tool calls.";

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="2" width="8" height="5" rx="2" fill="#a8b1ff"/><rect x="1" y="9" width="14" height="5" rx="2" fill="#3451b2"/></svg>';

const sidebar = [
  {
    text: "Fit",
    items: [
      { text: "Fit your first history", link: "/guide/first-fit" },
      { text: "OpenAI", link: "/guide/openai" },
      { text: "Anthropic", link: "/guide/anthropic" },
      { text: "Gemini", link: "/guide/gemini" },
      { text: "AI SDK", link: "/guide/ai-sdk" },
      { text: "Mastra", link: "/guide/mastra" },
      { text: "Reasoning and thinking blocks", link: "/guide/reasoning" },
      { text: "Count a request", link: "/guide/count-requests" },
      { text: "Cache marks for Claude", link: "/guide/prompt-caching" },
      { text: "How requests are counted", link: "/guide/counting-rules" },
      { text: "Send only what is new", link: "/guide/send-only-what-is-new" },
      { text: "Edge runtimes", link: "/guide/edge" },
    ],
  },
  {
    text: "Store",
    items: [
      { text: "The life of a chat", link: "/guide/chat-threads" },
      { text: "Privacy", link: "/guide/privacy" },
      { text: "Redis in production", link: "/guide/redis-in-production" },
      { text: "Postgres in production", link: "/guide/postgres-in-production" },
      { text: "Durable runs", link: "/guide/durable-runs" },
    ],
  },
  {
    text: "Teams",
    items: [
      { text: "Role filters", link: "/guide/role-filters" },
      { text: "Tools that look back", link: "/guide/recall-tools" },
    ],
  },
  {
    text: "Repair",
    items: [{ text: "A session that always fails", link: "/guide/bricked-session" }],
  },
  {
    text: "Explain",
    items: [
      { text: "Your own sessions", link: "/guide/sessions" },
      { text: "What the model saw", link: "/guide/inspector" },
    ],
  },
  {
    text: "More",
    items: [
      { text: "Overview", link: "/overview" },
      { text: "Concepts", link: "/guide/concepts" },
      { text: "Guarantees", link: "/guarantees" },
      { text: "Benchmarks", link: "/benchmarks" },
      { text: "Versions and support", link: "/versions" },
      { text: "Parts of your own", link: "/guide/own-parts" },
      { text: "Decisions", link: "/decisions/README" },
      { text: "The demo agent", link: "/apps/demo-agent/README" },
      { text: "Contributing", link: "/CONTRIBUTING" },
    ],
  },
  { text: "Reference", items: [{ text: "All exports", link: "/reference/index" }] },
  { text: "Packages", items: [...packages, ...assemblies].map(packagePage) },
  {
    text: "Coming from",
    items: [
      { text: "trimMessages", link: "/guide/from-trim-messages" },
      { text: "summarizationMiddleware", link: "/guide/from-summarization-middleware" },
      { text: "contextEditingMiddleware", link: "/guide/from-context-editing-middleware" },
      { text: "MemorySession", link: "/guide/from-memory-session" },
      { text: "agent_framework", link: "/guide/from-agent-framework" },
      { text: "the Unique toolkit", link: "/guide/from-unique-toolkit" },
      { text: "Beluga", link: "/guide/from-beluga" },
      { text: "Koog", link: "/guide/from-koog" },
    ],
  },
];

export default defineConfig({
  title: "agent-history",
  description: ABOUT,
  // Two messages, the older one shorter.
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: "..",
  srcExclude: [
    "**/node_modules/**",
    "**/dist/**",
    "**/CHANGELOG.md",
    "**/peers/**",
    "**/partial.md",
  ],
  rewrites: (page) => (page === "README.md" ? "overview.md" : page.replace(/^docs\//, "")),
  outDir: "./.vitepress/dist",
  cacheDir: "./.vitepress/cache",
  vite: {
    // The playground is drawn by Preact.
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    resolve: {
      conditions: ["@agent-history/source"],
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
          const href = token.type === "link_open" ? (token.attrGet("href") ?? "") : "";
          const own =
            /^https:\/\/github\.com\/agent-history\/agent-history\/(?:blob|tree)\/main\/(.+)/.exec(
              href,
            )?.[1];
          if (own !== undefined) token.attrSet("href", siteLink(rootFolder, own));
          else if (href !== "" && !/^(#|\/|[a-z]+:)/.test(href)) {
            token.attrSet("href", siteLink(folder, href));
          }
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

function packagePage(name: string): { text: string; link: string } {
  return { text: name, link: `/packages/${name}/README` };
}

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
