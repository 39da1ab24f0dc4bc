import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { unpackPackages } from "./debian-packages.ts";
import type { RedisProgram, ServerName } from "./redis-program.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history/redis");

/** A server that is unpacked, not installed. */
export type UnpackedRedis = Extract<RedisProgram, { readonly kind: "binary" }>;

/** How to unpack and find a kind of server. */
interface Bringer {
  readonly name: string;
  readonly unpackInto: (work: string) => Promise<void>;
  readonly programIn: (folder: string) => UnpackedRedis | undefined;
}

/**
 * Unpacks the redis-server of this machine's Debian or Ubuntu, or a named one of a newer Debian, into a cache folder. Never
 * installs it.
 *
 * The packages are downloaded once; later calls need no network. Concurrent processes each unpack their own copy;
 * the first one to finish is kept.
 */
export async function unpackDebianRedis(
  server?: Exclude<ServerName, "redis-7">,
  cache = CACHE,
): Promise<UnpackedRedis> {
  const bringer = server === undefined ? ofThisMachine : NEWER[server];
  const kept = join(cache, bringer.name);
  const cached = await startingIn(bringer, kept);
  if (cached !== undefined) return cached;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "unpacking-"));
  try {
    await bringer.unpackInto(work).catch((cause: unknown) => {
      throw new Error("Debian's packages cannot be fetched", { cause });
    });
    if ((await startingIn(bringer, join(work, "root"))) === undefined) {
      throw new Error("the unpacked redis-server does not start");
    }
    await keep(bringer, join(work, "root"), kept);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const program = await startingIn(bringer, kept);
  if (program === undefined) throw new Error(`the redis-server in ${kept} does not start`);
  return program;
}

const ofThisMachine: Bringer = {
  name: `${process.platform}-${process.arch}`,
  unpackInto: (work) =>
    unpackPackages(work, { packages: ["redis-server"] }).catch(() =>
      unpackPackages(work, { packages: ["valkey-server"] }),
    ),
  programIn: (folder) => {
    const path = ["redis-server", "valkey-server"]
      .map((name) => join(folder, "usr/bin", name))
      .find((file) => existsSync(file));
    const libraries = ["usr/lib", "usr/lib/*-linux-*", "lib", "lib/*-linux-*"];
    const libraryPath = globSync(libraries, { cwd: folder })
      .map((library) => join(folder, library))
      .join(":");
    return path === undefined ? undefined : { kind: "binary", path, libraryPath };
  },
};

const NEWER = { "redis-8": ofTrixie("redis"), "valkey-8": ofTrixie("valkey") };

/** A server of Debian 13. It needs the C library of that release, so the loader of that release starts it. */
function ofTrixie(family: "redis" | "valkey"): Bringer {
  const name = `${family}-server`;
  return {
    // Both servers share the libraries of that release.
    name: `debian-13-${process.arch}`,
    unpackInto: (work) =>
      unpackPackages(work, {
        packages: ["redis-server", "valkey-server"],
        release: { suite: "trixie" },
      }),
    programIn: (folder) => {
      const [loader] = globSync("usr/lib/*-linux-*/ld-linux-*.so.*", { cwd: folder });
      if (loader === undefined) return undefined;
      const path = join(folder, loader);
      // The server is a symbolic link to this program, which behaves according to the name by which it is called.
      const program = join(folder, `usr/bin/${family}-check-rdb`);
      return {
        kind: "binary",
        path,
        prefix: ["--library-path", dirname(path), "--argv0", name, program],
      };
    },
  };
}

/** Moves the folder into place atomically. If another process was faster, keeps that one's folder. */
async function keep(bringer: Bringer, folder: string, location: string): Promise<void> {
  if (existsSync(location) && (await startingIn(bringer, location)) === undefined) {
    await rename(location, join(dirname(folder), "broken"));
  }
  await rename(folder, location).catch((error: unknown) => {
    if (!existsSync(location)) throw error;
  });
}

async function startingIn(bringer: Bringer, folder: string): Promise<UnpackedRedis | undefined> {
  const program = bringer.programIn(folder);
  if (program === undefined) return undefined;
  const { path, prefix = [], libraryPath } = program;
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  const starts = await run(path, [...prefix, "--version"], { env }).catch(() => undefined);
  return starts && program;
}
