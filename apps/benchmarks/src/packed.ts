import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { packPackages } from "../../../scripts/pack-packages.ts";
import type { Tarball } from "../../../scripts/pack-packages.ts";
import { publishedPackages, rootFolder } from "../../../scripts/workspace-packages.ts";

/** A folder in whose `node_modules` the packages stand as users have them. */
export interface Packed extends Disposable {
  readonly folder: string;
  readonly tarballs: readonly Tarball[];
}

/** Packs every published package from its build and unpacks the tarballs side by side; what they depend on is linked. */
export function packed(): Packed {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-packed-"));
  const sources = new Map(publishedPackages().map((one) => [one.name, one.folder]));
  const tarballs = packPackages(rootFolder, folder);
  for (const { name, file, manifest } of tarballs) {
    const target = join(folder, "node_modules", name);
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-xzf", file, "--strip-components=1", "-C", target]);
    const others = Object.keys(manifest.dependencies ?? {}).filter((one) => !sources.has(one));
    for (const other of others)
      link(join(sources.get(name) ?? "", "node_modules", other), folder, other);
  }
  return {
    folder,
    tarballs,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function link(from: string, folder: string, name: string): void {
  const path = join(folder, "node_modules", name);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(from, path, "dir");
}
