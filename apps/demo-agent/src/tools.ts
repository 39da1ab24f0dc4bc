import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

import { tool } from "ai";
import type { ToolSet } from "ai";
import * as z from "zod";

import type { ReadFile } from "./tool-loop.ts";

const MAX_CHARACTERS = 6000;

/** What workers can do: list the packages installed in a folder, read a manifest, read a licence text. */
export function auditTools(folder: string): ToolSet {
  const root = realpathSync(resolve(folder));
  const packages = installedPackages(root);
  const find = (wanted: string): InstalledPackage => {
    const found = /^\d+$/.test(wanted)
      ? packages[Number(wanted) - 1]
      : packages.find(({ id }) => id === wanted || id.startsWith(`${wanted}@`));
    if (found === undefined) throw new Error(`No such package: ${wanted}.`);
    return found;
  };
  const read = (path: string, text: string): ReadFile => ({
    path: relative(root, path),
    text: text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n… (cut)` : text,
  });
  const inputSchema = z.object({
    name: z.string().describe("name@version, or the number in the list"),
  });
  return {
    list_packages: tool({
      description: "Says how many packages are installed, and lists a range of them by number.",
      inputSchema: z.object({ from: z.int().optional(), to: z.int().optional() }),
      execute: ({ from = 1, to = 0 }) => {
        const listed = packages.slice(from - 1, Math.max(from - 1, to));
        const lines = listed.map(({ id }, index) => `${from + index}. ${id}`);
        return [`${packages.length} packages are installed.`, ...lines].join("\n");
      },
    }),
    read_manifest: tool({
      description: "Reads what a package's package.json says of it, and names its licence files.",
      inputSchema,
      execute: ({ name }) => {
        const found = find(name);
        const licenceFiles = licenceFilesIn(found.folder);
        const text = JSON.stringify({ ...describe(found.manifest), licenceFiles }, undefined, 1);
        return read(join(found.folder, "package.json"), text);
      },
    }),
    read_licence: tool({
      description: "Reads the licence text of a package.",
      inputSchema,
      execute: ({ name }) => {
        const found = find(name);
        const [file] = licenceFilesIn(found.folder);
        if (file === undefined) throw new Error("The package has no licence file.");
        const path = join(found.folder, file);
        return read(path, readFileSync(path, "utf8"));
      },
    }),
  };
}

interface InstalledPackage {
  /** As `name@version`. */
  readonly id: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

type Manifest = z.infer<typeof manifest>;

const manifest = z.looseObject({ name: z.string().optional(), version: z.string().optional() });

/** The fields of a manifest that an audit is about. */
function describe({ name, version, license, licenses, description, author, repository }: Manifest) {
  return { name, version, license, licenses, description, author, repository };
}

/** Follows `node_modules` of a project and of its workspaces, as npm, pnpm and Yarn lay them out: each name and version once, in order. */
function installedPackages(root: string): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const seen = new Set<string>();
  const visit = (modules: string): void => {
    if (seen.has(modules) || !existsSync(modules)) return;
    seen.add(modules);
    for (const path of packagesIn(modules)) {
      const folder = realpathSync(path);
      const file = join(folder, "package.json");
      // A package of the workspace is no dependency.
      if (!folder.includes(`${sep}node_modules${sep}`) || !existsSync(file)) continue;
      const read = manifest.parse(JSON.parse(readFileSync(file, "utf8")));
      const id = `${read.name}@${read.version}`;
      if (read.name && read.version && !found.has(id))
        found.set(id, { id, folder, manifest: read });
      visit(join(folder, "node_modules"));
      // pnpm lays what a package depends on beside it.
      visit(read.name?.startsWith("@") ? dirname(dirname(folder)) : dirname(folder));
    }
  };
  const workspaces = [root, ...foldersIn(root), ...foldersIn(root).flatMap(foldersIn)];
  for (const folder of workspaces) visit(join(folder, "node_modules"));
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function packagesIn(modules: string): readonly string[] {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  return names.flatMap((name) => {
    const path = join(modules, name);
    return name.startsWith("@") ? readdirSync(path).map((each) => join(path, each)) : [path];
  });
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isDirectory() && !/^(\.|node_modules$)/.test(item.name))
    .map(({ name }) => join(folder, name));
}

function licenceFilesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /^(licen[cs]e|copying|unlicense)/i.test(name));
}
