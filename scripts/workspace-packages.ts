import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The root of the repository. */
export const rootFolder: string = resolve(import.meta.dirname, "..");

/** A package that users install. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  readonly entries: readonly PublicEntry[];
  /** Version ranges by name. */
  readonly peers: Readonly<Record<string, string>>;
  /** The oldest Node that it runs on, for example `22.12.0`. */
  readonly oldestNode: string;
}

/** What users import, for example `@agent-history/core/schema`, and the built file behind it. */
export interface PublicEntry {
  readonly name: string;
  readonly file: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly engines: { readonly node: string };
  /** What is published; in the workspace a condition leads to the sources first. */
  readonly publishConfig: { readonly exports: Readonly<Record<string, string>> };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Lists the packages of the workspace, or of a copy of it, that are published. */
export function publishedPackages(workspace: string = rootFolder): PublishedPackage[] {
  const manifests = globSync("packages/*/package.json", { cwd: workspace }).toSorted();
  return manifests.flatMap((path) => {
    const file = join(workspace, path);
    const manifest: Manifest = JSON.parse(readFileSync(file, "utf8"));
    const { name, engines, peerDependencies: peers = {}, publishConfig } = manifest;
    if (manifest.private === true) return [];
    const folder = dirname(file);
    const entries = Object.entries(publishConfig.exports)
      .map(([subpath, target]) => ({ name: join(name, subpath), file: join(folder, target) }))
      .filter((entry) => entry.file.endsWith(".js"));
    return [{ name, folder, entries, peers, oldestNode: `${engines.node.replace(">=", "")}.0` }];
  });
}
