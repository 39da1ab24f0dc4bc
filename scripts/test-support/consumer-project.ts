import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { packPackages, type Tarball } from "../pack-packages.ts";
import { publishedPackages, rootFolder } from "../workspace-packages.ts";

/** A project outside the workspace that has all packages, as a user installs them. */
export interface ConsumerProject {
  readonly folder: string;
  readonly tarballs: readonly Tarball[];
  /** Runs a command there and returns what it printed, also where it failed. */
  readonly run: (
    command: string,
    options: readonly string[],
    env?: NodeJS.ProcessEnv,
  ) => Promise<string>;
  /** Removes the project. */
  readonly remove: () => void;
}

/** What the project is made of besides the packages and their peers. */
export interface ConsumerOptions {
  /** Programs and sources to copy. */
  readonly files: readonly string[];
  /** Other packages that it needs, by name, with versions. */
  readonly needs: Readonly<Record<string, string>>;
}

/** Packs every package, and installs all tarballs in an empty folder by one command of npm. */
export async function createConsumerProject(options: ConsumerOptions): Promise<ConsumerProject> {
  // The real path, since compilers follow links.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-packed-")));
  const remove = (): void => rmSync(folder, { recursive: true });
  try {
    const tarballs = await fill(folder, options);
    return {
      folder,
      tarballs,
      run: (command, commandOptions, env = {}) => run(command, commandOptions, folder, env),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function fill(folder: string, { files, needs }: ConsumerOptions): Promise<Tarball[]> {
  const packages = publishedPackages();
  const tarballs = packPackages(rootFolder, folder);
  for (const file of files) {
    copyFileSync(join(rootFolder, "scripts/test-support/consumer", file), join(folder, file));
  }
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');

  // Optional peers too, which a user installs for the entries that need them; of what is needed, that version.
  const ranges = new Map(
    [...packages.map(({ peers }) => peers), needs].flatMap(Object.entries<string>),
  );
  const wanted = [...ranges].map(([name, range]) => `${name}@${range}`);
  const paths = tarballs.map(({ file }) => file);
  const install = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...paths, ...wanted];
  await promisify(execFile)("npm", install, { cwd: folder });
  return tarballs;
}

function run(
  command: string,
  options: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      command,
      options,
      { cwd, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        resolve(error === null ? stdout : stdout + stderr);
      },
    );
  });
}
