import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { build } from "vite";
import type { Rolldown } from "vite";

/**
 * Builds the page of the inspector as one HTML file with placeholders for the title and the data: `dist/page/template.js` is published, together with the
 * licenses of its libraries; `dist/.page.json` is read in the workspace and contains the hashes of the source files.
 */
const folder = join(import.meta.dirname, "..");

const output = await bundle();
const scripts = output.filter((file) => file.type === "chunk");
const assets = output.filter((file) => file.type === "asset");
const [script] = scripts;
if (script === undefined || scripts.length > 1)
  throw new Error(`Expected one script, got ${scripts.length}.`);
const textOf = (ending: string): string =>
  String(assets.find(({ fileName }) => fileName.endsWith(ending))?.source ?? "");
const style = textOf(".css");
const template = assemble(script.code.trim(), style.trim());
const inputs = Object.fromEntries(
  script.moduleIds
    .filter((id) => id.startsWith("/") && !id.includes("/node_modules/"))
    .concat(["index.html", "page.css"].map((name) => join(folder, "page", name)))
    .map((id) => [relative(folder, id), hashOf(readFileSync(id))]),
);
replaceFile(
  "dist/page/template.js",
  `export const pageTemplate = () => ${JSON.stringify(template)};\n`,
);
replaceFile("dist/page/licenses.txt", textOf("licenses.txt"));
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
      license: { fileName: "licenses.txt" },
      rolldownOptions: { input: join(folder, "page/main.tsx"), output: { format: "iife" } },
    },
  });
  if (!("output" in built)) throw new Error("Expected one output.");
  return built.output;
}

/** Assembles the page. Its policy allows only this script and this style, by their hashes. */
function assemble(code: string, css: string): string {
  if (/<\/script|<!--/i.test(code)) throw new Error("The script holds what would end its element.");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(code)}'`,
    `style-src 'sha256-${hashOf(css)}'`,
    // A page from a local server requests new data from it. A page opened as a file has no server.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  // The hash covers everything between the tags, so remove whitespace around the placeholders.
  return readFileSync(join(folder, "page/index.html"), "utf8")
    .replace("%POLICY%", () => policy)
    .replace(/\s*%STYLE%\s*/, () => css)
    .replace(/\s*%SCRIPT%\s*/, () => code);
}

function hashOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("base64");
}

/** Replaces a file atomically, because several processes may build at once. */
function replaceFile(name: string, content: string): void {
  const path = join(folder, name);
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, content);
  renameSync(draft, path);
}
