import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";

import { build } from "esbuild";

/**
 * Joins the built files of the package in the working directory into few: one for each published entry, and what entries share.
 * Node loads one file in a third of the time of thirty. Other platforms and bundlers take the single files, which lose more of
 * what is not imported. Every package runs it as its `prepack`.
 */
const folder = "dist/bundle";

const { publishConfig }: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.values(publishConfig.exports).filter((target) => typeof target === "object");

const { outputFiles } = await build({
  entryPoints: Object.fromEntries(entries.map(({ node, default: built }) => [nameOf(node), built])),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.12",
  packages: "external",
  // In the workspace the page of the inspector is built when it is needed; what is published holds it as a file of its own.
  external: ["#page-template"],
  sourcemap: "linked",
  sourcesContent: false,
  write: false,
});
for (const { path, contents } of outputFiles) replaceFile(path, contents);
removeOthers(new Set(outputFiles.map(({ path }) => path)));

interface Manifest {
  readonly publishConfig: { readonly exports: Readonly<Record<string, string | BundledTarget>> };
}

/** Where an entry leads Node, and where it leads all others. */
interface BundledTarget {
  readonly node: string;
  readonly default: string;
}

function nameOf(bundled: string): string {
  return relative(folder, bundled).replace(/\.js$/, "");
}

/** In one step, since several processes may pack at once: what is packed must not hold a draft of another. */
function replaceFile(path: string, contents: Uint8Array): void {
  const draft = join("node_modules", `.bundle-draft.${process.pid}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Removes what an older build left. */
function removeOthers(kept: ReadonlySet<string>): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = resolve(join(entry.parentPath, entry.name));
    if (entry.isFile() && /\.js(\.map)?$/.test(path) && !kept.has(path)) rmSync(path);
  }
}
