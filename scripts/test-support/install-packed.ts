import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { packPackages } from "../pack-packages.ts";
import { publishedPackages, rootFolder } from "../workspace-packages.ts";

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Installs a package to a folder: one of the workspace as it was packed, another as it is installed in `scripts`. */
export type InstallPacked = (name: string, cwd: string) => void;

/**
 * Packs the packages, which are built, to a folder, and returns what installs them as pnpm does: in a project only what was asked for can be imported, in a
 * package only what it asks for. What comes from outside is linked.
 *
 * @param withPeers Whether packages find their optional peers too.
 */
export function packToInstall(
  destination: string,
  { withPeers = false }: { readonly withPeers?: boolean } = {},
): InstallPacked {
  const packages = new Map(publishedPackages().map((one) => [one.name, one]));
  const packed = new Map(
    packPackages(rootFolder, destination).map(({ name, file }) => [name, file]),
  );
  const unpack = (name: string): string => {
    const beside = join(destination, "unpacked", name, "node_modules");
    const location = join(beside, name);
    if (existsSync(location)) return location;
    mkdirSync(location, { recursive: true });
    execFileSync("tar", ["-xzf", packed.get(name) ?? "", "-C", location, "--strip-components=1"]);
    const home = join(packages.get(name)?.folder ?? "", "node_modules");
    for (const needed of needsOf(location, withPeers)) {
      link(packages.has(needed) ? unpack(needed) : join(home, needed), join(beside, needed));
    }
    return location;
  };
  return (name, cwd) => {
    const outside = join(rootFolder, "scripts/node_modules");
    link(packages.has(name) ? unpack(name) : join(outside, name), join(cwd, "node_modules", name));
  };
}

/** Returns the bytes that packages and all that they need have as archives, as a registry sends them: at least as many, since little time is spent on it. */
export function downloadOf(...locations: readonly string[]): number {
  const found = new Set<string>();
  for (const location of locations) findClosure(location, found);
  return [...found].map(sizeOf).reduce((sum, size) => sum + size, 0);
}

/** Finds a package and all that it needs, by their real folders. */
function findClosure(location: string, found: Set<string>): void {
  const real = realpathSync(location);
  if (found.has(real)) return;
  found.add(real);
  for (const needed of needsOf(real)) {
    const nested = join(real, "node_modules", needed);
    const beside = join(real.slice(0, real.lastIndexOf("node_modules")), "node_modules", needed);
    findClosure(existsSync(nested) ? nested : beside, found);
  }
}

function sizeOf(location: string): number {
  const options = ["-I", "gzip -1", "-cf", "-", "--exclude=node_modules", "-C", location, "."];
  return execFileSync("tar", options, { maxBuffer: Infinity }).length;
}

/** What a user gets with a package: its dependencies, and the peers that are not optional. */
function needsOf(location: string, withPeers = false): string[] {
  const manifest: Needs = JSON.parse(readFileSync(join(location, "package.json"), "utf8"));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies);
  const due = peers.filter((peer) => withPeers || peerDependenciesMeta[peer]?.optional !== true);
  return [...Object.keys(dependencies), ...due];
}

/** Links a package. */
function link(target: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(target), path);
}
