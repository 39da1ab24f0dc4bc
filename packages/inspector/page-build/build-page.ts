import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { build } from "vite";
import type { Rolldown } from "vite";

/**
 * Builds the page of the inspector into one HTML file with two places left open, for a title and for data: `dist/page/template.js` is what is published, with the
 * licenses of what it holds beside it; `dist/.page.json` is what the workspace reads, with the hashes of the files that it was built from.
 */
const folder = join(import.meta.dirname, "..");

const output = await bundle();
const scripts = output.filter((file) => file.type === "chunk");
const styles = output.filter((file) => file.type === "asset");
const [script] = scripts;
if (script === undefined || scripts.length > 1)
  throw new Error(`Expected one script, got ${scripts.length}.`);
const style = styles.map(({ source }) => String(source)).join("");
const libraries = librariesOf(script.moduleIds);
const template = assemble(script.code.trim(), style.trim());
const inputs = Object.fromEntries(
  script.moduleIds
    .filter((id) => id.startsWith("/") && !id.includes("/node_modules/"))
    .concat(["index.html", "page.css"].map((name) => join(folder, "page", name)))
    .map((id) => [relative(folder, id), hashOf(readFileSync(id))]),
);
replaceFile("dist/page/template.js", `export const pageTemplate = () => ${literal(template)};\n`);
replaceFile("dist/page/licenses.txt", libraries.map(licenseOf).join("\n\n"));
replaceFile("dist/.page.json", JSON.stringify({ inputs, template }));

async function bundle(): Promise<readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const built = await build({
    root: join(folder, "page"),
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    resolve: {
      conditions: ["@agent-history/source", "module", "browser", "production"],
      alias: { "tiktoken/encoders/o200k_base.json": join(folder, "page/carried-encoder.ts") },
    },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: { input: join(folder, "page/main.tsx"), output: { format: "iife" } },
    },
  });
  if (!("output" in built)) throw new Error("Expected one output.");
  return built.output;
}

/** Only this script and this style run: the policy names them by their hashes. */
function assemble(code: string, css: string): string {
  if (/<\/script|<!--/i.test(code)) throw new Error("The script holds what would end its element.");
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(code)}'`,
    `style-src '${sourceHash(css)}'`,
    // A page that a server of one's own has sent asks it for new data; a file has nobody to ask.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  // A hash is that of all that stands between the tags.
  return readFileSync(join(folder, "page/index.html"), "utf8")
    .replace("%POLICY%", () => policy)
    .replace("%LIBRARIES%", () => libraries.map(({ title }) => title).join(", "))
    .replace(/\s*%STYLE%\s*/, () => css)
    .replace(/\s*%SCRIPT%\s*/, () => code);
}

interface Library {
  readonly folder: string;
  /** Its name, its version and its license. */
  readonly title: string;
  readonly author: string;
}

interface LibraryManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

/** The packages from elsewhere that the page holds code of. */
function librariesOf(moduleIds: readonly string[]): readonly Library[] {
  const folders = moduleIds.flatMap(
    (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted().map((path) => {
    const manifest: LibraryManifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const { name, version, license, author } = manifest;
    return {
      folder: path,
      title: `${name} ${version} (${license})`,
      author: typeof author === "string" ? author : (author?.name ?? name),
    };
  });
}

function licenseOf({ folder: path, title, author }: Library): string {
  const [file] = globSync("LICEN[SC]E*", { cwd: path });
  // The one that has no such file says who wrote it.
  const text = file === undefined ? `By ${author}` : readFileSync(join(path, file), "utf8").trim();
  return `${title}\n\n${text}\n`;
}

function sourceHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64");
}

/** Some readers of JavaScript end a line where JSON does not. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** In one step, since several processes may build at once. */
function replaceFile(name: string, content: string): void {
  const path = join(folder, name);
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, content);
  renameSync(draft, path);
}
