import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";

import { build } from "esbuild";

/**
 * Writes what is published of the package in the working directory: its built files, joined into one for each entry and what
 * entries share, and the declarations that entries reach. A program's first counted prompt then takes 100 ms over bare Node
 * instead of 190 ms. Every package runs it as its `prepack`.
 */
const folder = "dist/bundle";

const { publishConfig, dependencies, peerDependencies }: Manifest = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const entries = entriesOf(publishConfig.exports);
const others = [publishConfig.imports, publishConfig.bin].flatMap(entriesOf);

const { outputFiles } = await build({
  entryPoints: Object.fromEntries([...entries, ...others].map((name) => [name, `dist/${name}.js`])),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  // As the compiler wrote it, with the attributes of imports.
  target: "esnext",
  // What an own name leads to is chosen where the package is used. What is imported and is no dependency becomes a part of the bundle.
  external: ["#*", "node:*", ...Object.keys({ ...dependencies, ...peerDependencies })],
  write: false,
});
const files = [...outputFiles, ...declarationsOf(entries)];
for (const { path, contents } of files) replaceFile(path, contents);
removeOthers(new Set(files.map(({ path }) => path)));

interface Manifest extends Partial<Record<"dependencies" | "peerDependencies", object>> {
  readonly publishConfig: Readonly<Record<"exports" | "imports" | "bin", Targets | undefined>>;
}

type Targets = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The built files that targets name, without their ending. */
function entriesOf(targets: Targets = {}): string[] {
  return Object.values(targets)
    .flatMap((target) => (typeof target === "string" ? target : Object.values(target)))
    .filter((target) => target.startsWith(`./${folder}/`))
    .map((target) => relative(folder, target).replace(/\.js$/, ""));
}

/** The declarations of entries, and of all that these import. */
function declarationsOf(names: readonly string[]): { path: string; contents: string }[] {
  const found = new Map<string, string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    const text = readFileSync(join("dist", `${name}.d.ts`), "utf8");
    found.set(name, text);
    const imports = text.matchAll(/"(\.[^"]+)\.[jt]s"/g);
    for (const [, path = ""] of imports) visit(join(dirname(name), path));
  };
  names.forEach(visit);
  return [...found].map(([name, contents]) => ({
    path: resolve(folder, `${name}.d.ts`),
    contents,
  }));
}

/** In one step, since several processes may pack at once: what is packed must not hold a draft of another. */
function replaceFile(path: string, contents: Uint8Array | string): void {
  const draft = join("node_modules", `.bundle-draft.${process.pid}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Removes what an older build left. */
function removeOthers(kept: ReadonlySet<string>): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = resolve(join(entry.parentPath, entry.name));
    if (entry.isFile() && /\.(js|map|d\.ts)$/.test(path) && !kept.has(path)) rmSync(path);
  }
}
