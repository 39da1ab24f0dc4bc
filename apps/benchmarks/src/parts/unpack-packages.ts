import { execFileSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A package.json, as far as it is looked at. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A folder in whose `node_modules` the packages stand as users have them. */
export interface UnpackedPackages extends Disposable {
  readonly folder: string;
  readonly names: readonly string[];
}

const packagesFolder = fileURLToPath(new URL("../../../../packages/", import.meta.url));

/** Packs every package that is published, from its build, and unpacks the tarballs side by side; what they depend on is linked. */
export function unpackPackages(): UnpackedPackages {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-unpacked-"));
  const published = globSync("*/package.json", { cwd: packagesFolder })
    .map((file) => ({
      source: join(packagesFolder, dirname(file)),
      manifest: readManifest(join(packagesFolder, file)),
    }))
    .filter(({ manifest }) => manifest.private !== true);
  const names = published.map(({ manifest }) => manifest.name);
  for (const { source, manifest } of published) {
    unpack(source, join(folder, "node_modules", manifest.name));
    const others = Object.keys(manifest.dependencies ?? {}).filter((name) => !names.includes(name));
    for (const name of others) link(join(source, "node_modules", name), folder, name);
  }
  return {
    folder,
    names,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The package.json of a package that is installed in a folder. */
export function manifestOf(packageName: string, folder: string): Manifest {
  return readManifest(join(folder, "node_modules", packageName, "package.json"));
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8"));
}

function unpack(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  const tarball = join(target, "..", "packed.tgz");
  execFileSync("npx", ["-y", "pnpm@12", "pack", "--out", tarball], { cwd: source, stdio: "pipe" });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target]);
  rmSync(tarball);
}

function link(from: string, folder: string, name: string): void {
  const path = join(folder, "node_modules", name);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(from, path, "dir");
}
