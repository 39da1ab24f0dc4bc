import { execFileSync } from "node:child_process";

import { publishedPackages } from "./workspace-packages.ts";

/** What would be published of a package. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** Where it lies. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** Paths inside, for example `dist/index.js`. */
  readonly paths: readonly string[];
  readonly manifest: PackedManifest;
}

/** The package.json of a tarball, as far as it is looked at. */
export interface PackedManifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly author?: string;
  readonly keywords?: readonly string[];
  readonly repository?: { readonly directory?: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packs every package of a workspace, which is built, as it would be published, to a folder. */
export function packPackages(workspace: string, destination: string): Tarball[] {
  const published = publishedPackages(workspace);
  const filters = published.flatMap(({ name }) => ["--filter", name]);
  const options = [...filters, "pack", "--json", "--pack-destination", destination];
  const packed: PackResult[] = JSON.parse(run("pnpm", options, workspace));
  return packed.map(({ name, version, filename: file, size, files }) => {
    const manifest = JSON.parse(run("tar", ["-xzOf", file, "package/package.json"], destination));
    return { name, version, file, size, paths: files.map(({ path }) => path), manifest };
  });
}

interface PackResult {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function run(command: string, options: readonly string[], cwd: string): string {
  return execFileSync(command, options, { cwd, encoding: "utf8", stdio: "pipe" });
}
