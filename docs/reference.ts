import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Application, Converter } from "typedoc";

/** Writes `reference`, a page for each import of the published packages, from their built declarations. */

const root = join(import.meta.dirname, "..");
const folder = join(root, "reference");

/** Each package stands before those that export its names again: a name is explained where it comes from. */
const PACKAGES = [
  "core",
  "tokens",
  "filters",
  "postprocess",
  "reducer",
  "compression",
  "store-kit",
  "store-sqlite",
  "store-redis",
  "store-postgres",
  "format-kit",
  "openai",
  "anthropic",
  "google",
  "ai-sdk",
  "langchain",
  "openai-agents",
  "history-manager",
  "agent-history",
  "transcripts",
  "inspector",
  "testkit",
];

/** What each import is called, by the path of its built file. */
const imports = new Map<string, string>();
for (const name of PACKAGES) {
  const manifest = readFileSync(join(root, "packages", name, "package.json"), "utf8");
  const { exports }: { exports: Record<string, { default?: string }> } = JSON.parse(manifest);
  for (const [path, { default: file }] of Object.entries(exports)) {
    if (file?.endsWith(".js") !== true) continue;
    imports.set(join("packages", name, file.replace(/(\/index)?\.js$/, "")), name + path.slice(1));
  }
}

/** Options of typedoc-plugin-markdown, which typedoc's types do not know. */
const markdown = {
  outputFileStrategy: "modules",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
};

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: [...imports.keys()].map((path) => `${root}/${path}{.d.ts,/index.d.ts}`),
  tsconfig: join(import.meta.dirname, "tsconfig.reference.json"),
  basePath: root,
  sort: ["alphabetical"],
  groupOrder: ["Functions", "Classes", "*"],
  sortEntryPoints: false,
  skipErrorChecking: true,
  disableSources: true,
  readme: "none",
  out: folder,
  logLevel: "Error",
  ...markdown,
});
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const page of project.children ?? []) page.name = imports.get(page.name) ?? page.name;
});
const project = await app.convert();
if (project === undefined) throw new Error("No declarations were read: pnpm run build first.");
rmSync(folder, { recursive: true, force: true });
await app.generateOutputs(project);
const pages = (project.children ?? []).map(({ name }) => `- [${name}](${name}.md)`);
writeFileSync(join(folder, "index.md"), `# Reference\n\n${pages.join("\n")}\n`);
