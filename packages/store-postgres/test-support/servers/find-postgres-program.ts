import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { unpackPackages } from "../../../store-redis/test-support/servers/debian-packages.ts";
import type { NoPostgresProgram, PostgresProgram } from "./postgres-program.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history/postgres");
const KEPT = join(CACHE, `${process.platform}-${process.arch}`);

let found: Promise<PostgresProgram | NoPostgresProgram> | undefined;

/**
 * Finds a Postgres server: on the path or in Debian's install folder, else Debian's package unpacked into the workspace's cache.
 *
 * Installs nothing and needs no privileges. The result is cached for the process.
 */
export function findPostgresProgram(): Promise<PostgresProgram | NoPostgresProgram> {
  found ??= look();
  return found;
}

async function look(): Promise<PostgresProgram | NoPostgresProgram> {
  const installed = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
  ];
  for (const folder of installed) if (await starts({ folder })) return { kind: "binary", folder };
  try {
    return unpackedIn(KEPT) ?? (await unpack());
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
    return { kind: "none", reason: `No Postgres server: ${why}. Install postgresql.` };
  }
}

/** Concurrent processes each unpack their own copy; the first one to finish is kept. */
async function unpack(): Promise<PostgresProgram> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "unpacking-"));
  try {
    await unpackPackages(work, { packages: ["postgresql"] }).catch((cause: unknown) => {
      throw new Error("Debian's packages cannot be fetched", { cause });
    });
    await rename(join(work, "root"), KEPT).catch((error: unknown) => {
      if (!existsSync(KEPT)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const program = unpackedIn(KEPT);
  if (program === undefined || !(await starts(program))) {
    throw new Error(`the server in ${KEPT} does not start`);
  }
  return program;
}

function unpackedIn(root: string): PostgresProgram | undefined {
  const [folder] = globSync("usr/lib/postgresql/*/bin", { cwd: root });
  if (folder === undefined) return undefined;
  const libraries = ["usr/lib", "usr/lib/*-linux-*", "lib", "lib/*-linux-*"];
  const libraryPath = globSync(libraries, { cwd: root })
    .map((library) => join(root, library))
    .join(":");
  return { kind: "binary", folder: join(root, folder), libraryPath };
}

async function starts({ folder, libraryPath }: Omit<PostgresProgram, "kind">): Promise<boolean> {
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  const programs = ["initdb", "postgres"].map((name) => join(folder, name));
  const versions = programs.map((program) => run(program, ["--version"], { env }));
  return (await Promise.allSettled(versions)).every(({ status }) => status === "fulfilled");
}
