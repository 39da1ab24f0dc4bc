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

/** Installs a package of the workspace to a folder, as it was packed. */
export type InstallPacked = (name: string, cwd: string) => void;

/** Packs the packages, which are built, to a folder, and returns what unpacks one with those of this workspace that it asks for; what comes from outside is linked. */
export function packToInstall(destination: string): InstallPacked {
  const packages = new Map(publishedPackages().map((one) => [one.name, one]));
  const packed = new Map(
    packPackages(rootFolder, destination).map(({ name, file }) => [name, file]),
  );
  const install: InstallPacked = (name, cwd) => {
    const location = join(cwd, "node_modules", name);
    if (existsSync(location)) return;
    mkdirSync(location, { recursive: true });
    const home = packages.get(name)?.folder ?? "";
    execFileSync("tar", ["-xzf", packed.get(name) ?? "", "-C", location, "--strip-components=1"]);
    for (const needed of needsOf(location)) {
      if (packages.has(needed)) install(needed, cwd);
      else {
        link(realpathSync(join(home, "node_modules", needed)), join(cwd, "node_modules", needed));
      }
    }
  };
  return install;
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
function needsOf(location: string): string[] {
  const manifest: Needs = JSON.parse(readFileSync(join(location, "package.json"), "utf8"));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies);
  const due = peers.filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  return [...Object.keys(dependencies), ...due];
}

function link(target: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
