import { globSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { Application, Converter } from "typedoc";

import { publishedPackages, rootFolder } from "../scripts/workspace-packages.ts";

/** Writes `reference`, a page for each import of the published packages, from their built declarations. */

const folder = join(rootFolder, "reference");

/** Packages whose names others export again stand first: a name is explained where it comes from. */
const first = ["@agent-history/format-kit", "@agent-history/core"];
const rankOf = (name: string): number => (name === "agent-history" ? -2 : first.indexOf(name));
const entries = publishedPackages()
  .toSorted((a, b) => rankOf(b.name) - rankOf(a.name))
  .flatMap((one) => one.entries)
  .map(({ name, file }) => ({ name, path: file.replace("/bundle/", "/").replace(/\.js$/, "") }));
/** What each import is called, by the name that its declarations have for typedoc. */
const imports = new Map(
  entries.map(({ name, path }) => [
    relative(rootFolder, path).replace(/\/index$/, ""),
    name.replace("@agent-history/", ""),
  ]),
);

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
  entryPoints: entries.map(({ path }) => `${path}.d.ts`),
  tsconfig: join(import.meta.dirname, "tsconfig.reference.json"),
  basePath: rootFolder,
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
// Typedoc numbers a page whose name is that of an export, too: `reducer/recall` and `Recall`.
const pages = globSync("**/*.md", { cwd: folder })
  .toSorted()
  .map((file) => `- [${file.replace(/(-\d)?\.md$/, "")}](${file})`);
writeFileSync(join(folder, "index.md"), `# Reference\n\n${pages.join("\n")}\n`);
