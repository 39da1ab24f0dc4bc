import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history/redis");

/** A server that was unpacked and not installed. */
export interface UnpackedRedis {
  readonly path: string;
  readonly libraryPath: string;
}

/**
 * Brings the redis-server of this machine's Debian or Ubuntu, unpacked into a cache folder and never installed.
 *
 * The packages come from the machine's own sources, once; later calls need no network. Processes that
 * do this at the same time each unpack for themselves, and the first to be ready is kept.
 */
export async function unpackDebianRedis(cache = CACHE): Promise<UnpackedRedis> {
  const kept = join(cache, `${process.platform}-${process.arch}`);
  const cached = await serverIn(kept);
  if (cached !== undefined) return cached;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "unpacking-"));
  try {
    await unpackInto(work).catch((cause: unknown) => {
      throw new Error("Debian's packages cannot be fetched", { cause });
    });
    if ((await serverIn(join(work, "root"))) === undefined) {
      throw new Error("the unpacked redis-server does not start");
    }
    await keep(join(work, "root"), kept);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const server = await serverIn(kept);
  if (server === undefined) throw new Error(`the redis-server in ${kept} does not start`);
  return server;
}

async function unpackInto(work: string): Promise<void> {
  const [state, packages] = [join(work, "state"), join(work, "packages")];
  await mkdir(join(state, "lists/partial"), { recursive: true });
  await mkdir(join(packages, "archives/partial"), { recursive: true });
  const own = [`Dir::State=${state}`, `Dir::Cache=${packages}`, "Debug::NoLocking=1"];
  own.push("Dir::State::status=/var/lib/dpkg/status", "APT::Sandbox::User=");
  const apt = ["-qq", "-y", ...own.flatMap((option) => ["-o", option])];
  await run("apt-get", [...apt, "update"]);
  // What the server needs and this machine has not got comes with it.
  const download = [...apt, "--no-install-recommends", "--download-only", "install"];
  await run("apt-get", [...download, "redis-server"]).catch(() =>
    run("apt-get", [...download, "valkey-server"]),
  );
  for (const archive of globSync("*.deb", { cwd: join(packages, "archives") })) {
    await run("dpkg", ["-x", join(packages, "archives", archive), join(work, "root")]);
  }
}

/** Puts the folder in its place in one step. Where another process was faster, its folder stays. */
async function keep(folder: string, place: string): Promise<void> {
  if (existsSync(place) && (await serverIn(place)) === undefined) {
    await rename(place, join(dirname(folder), "broken"));
  }
  await rename(folder, place).catch((error: unknown) => {
    if (!existsSync(place)) throw error;
  });
}

async function serverIn(folder: string): Promise<UnpackedRedis | undefined> {
  const path = ["redis-server", "valkey-server"]
    .map((name) => join(folder, "usr/bin", name))
    .find((file) => existsSync(file));
  if (path === undefined) return undefined;
  const libraries = ["usr/lib", "usr/lib/*-linux-*", "lib", "lib/*-linux-*"];
  const libraryPath = globSync(libraries, { cwd: folder })
    .map((library) => join(folder, library))
    .join(":");
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath };
  const starts = await run(path, ["--version"], { env }).catch(() => undefined);
  return starts && { path, libraryPath };
}
