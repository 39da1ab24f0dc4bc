import { execFileSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/** A copy of the manifests, on which versions are raised as a release would raise them. */
export interface VersionRehearsal {
  /** Applies one changeset, and returns the packages whose version it changed. */
  readonly raise: (releases: Readonly<Record<string, string>>) => Record<string, string>;
  /** Applies the changesets that wait in the repository. */
  readonly raiseWaiting: () => Record<string, string>;
  /** Returns the published packages as they would be packed now. */
  readonly packages: () => RehearsedPackage[];
  /** Removes the copy. */
  readonly remove: () => void;
}

/** A published package: its name, its version, and the ranges in which it asks for packages of this workspace. */
export interface RehearsedPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * Copies the manifests to a temporary folder.
 *
 * @param version - The version that every published package gets there; without it each keeps its own.
 */
export function rehearseVersions(version?: string): VersionRehearsal {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-versions-"));
  const files = globSync("{packages,apps}/*/package.json", { cwd: rootFolder });
  const others = ["package.json", "pnpm-workspace.yaml", "{scripts,docs}/package.json"];
  for (const file of [...files, ...globSync(others, { cwd: rootFolder })]) {
    cpSync(join(rootFolder, file), join(folder, file));
  }
  const config = join(rootFolder, ".changeset/config.json");
  // The formatter is run through pnpm, which would install here.
  write(join(folder, ".changeset/config.json"), { ...read(config), format: false });

  const manifests = (): [string, Manifest][] =>
    globSync("packages/*/package.json", { cwd: folder })
      .toSorted()
      .map((file): [string, Manifest] => [join(folder, file), read(join(folder, file))])
      .filter(([, manifest]) => manifest.private !== true);
  if (version !== undefined) {
    for (const [file, manifest] of manifests()) write(file, { ...manifest, version });
  }
  const packages = (): RehearsedPackage[] => resolveRanges(manifests().map(([, one]) => one));
  const apply = (): Record<string, string> => {
    const before = new Map(packages().map(({ name, version: old }) => [name, old]));
    const command = join(rootFolder, "node_modules/.bin/changeset");
    execFileSync(command, ["version"], { cwd: folder, stdio: "pipe" });
    const raised = packages().filter(({ name, version: now }) => before.get(name) !== now);
    return Object.fromEntries(raised.map(({ name, version: now }) => [name, now]));
  };
  return {
    raise: (releases) => {
      const lines = Object.entries(releases).map(([name, type]) => `"${name}": ${type}`);
      const text = ["---", ...lines, "---", "", "A change.", ""].join("\n");
      writeFileSync(join(folder, ".changeset/change.md"), text);
      return apply();
    },
    raiseWaiting: () => {
      cpSync(dirname(config), join(folder, ".changeset"), {
        recursive: true,
        filter: (file) => !file.endsWith("config.json"),
      });
      return apply();
    },
    packages,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** What pnpm writes for `workspace:^` when it packs: the version of this moment, with a caret. Outside packages are left out. */
function resolveRanges(manifests: readonly Manifest[]): RehearsedPackage[] {
  const versions = new Map(manifests.map(({ name, version }) => [name, version]));
  return manifests.map(({ name, version, dependencies = {} }) => ({
    name,
    version,
    dependencies: Object.fromEntries(
      Object.entries(dependencies)
        .filter(([dependency]) => versions.has(dependency))
        .map(([dependency, range]) => [
          dependency,
          range.replace(/^workspace:([\^~]?)\*?$/, `$1${versions.get(dependency)}`),
        ]),
    ),
  }));
}

function read(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8"));
}

function write(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
