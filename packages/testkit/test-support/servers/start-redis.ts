import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { runServer } from "./run-server.ts";
import type { TestServer } from "./run-server.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history");
const KEPT = join(CACHE, `redis-${process.platform}-${process.arch}`);

/** A redis-server of a test's own. */
export interface RedisServer extends TestServer {
  readonly url: string;
}

/** How a redis-server is set up. */
export interface RedisServerOptions {
  /** Writes each command to the append-only file before it is answered. Default `false`: data are kept in memory only. */
  readonly isDurable?: boolean;
  /** Further arguments of the command, for example `["--maxmemory", "12mb"]`. */
  readonly args?: readonly string[];
}

/**
 * Starts a redis-server on a free port of 127.0.0.1. It dies with this process.
 *
 * @throws `Error` if there is no redis-server; see `findRedis`.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { isDurable = false, args = [] } = options;
  const { command, env } = await findRedis();
  const dir = await mkdtemp(join(tmpdir(), "agent-history-redis-"));
  const server = await runServer({
    command,
    env,
    args: (port) =>
      [
        ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", ""],
        ["--appendonly", isDurable ? "yes" : "no", "--appendfsync", "always"],
        args,
      ].flat(),
    dir,
    readyText: "Ready to accept connections",
    crashSignal: "SIGKILL",
  });
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}

/** A redis-server, with what it needs in its environment. */
interface RedisProgram {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

let found: Promise<RedisProgram> | undefined;

/**
 * Finds a redis-server or valkey-server: on the path, else Debian's packages, unpacked into the workspace's cache and not installed.
 * Looks once in a process.
 *
 * @throws `Error` if none starts and none can be downloaded.
 */
export function findRedis(): Promise<RedisProgram> {
  found ??= look();
  return found;
}

async function look(): Promise<RedisProgram> {
  const installed = ["redis-server", "valkey-server"].map((command) => ({ command, env: {} }));
  for (const program of [...installed, ...programsIn(KEPT)])
    if (await starts(program)) return program;
  await download();
  for (const program of programsIn(KEPT)) if (await starts(program)) return program;
  throw new Error(`No redis-server: the one in ${KEPT} does not start. Install redis-server.`);
}

/** Processes that download at once each do it for themselves; the first to be ready is kept. Needs no rights. */
async function download(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "downloading-"));
  try {
    const [state, cache] = [join(work, "state"), join(work, "packages")];
    await mkdir(join(state, "lists/partial"), { recursive: true });
    await mkdir(join(cache, "archives/partial"), { recursive: true });
    const own = [`Dir::State=${state}`, `Dir::Cache=${cache}`, "Debug::NoLocking=1"];
    own.push("APT::Sandbox::User=", "Dir::State::status=/var/lib/dpkg/status");
    const apt = ["-qq", "-y", ...own.flatMap((option) => ["-o", option])];
    await run("apt-get", [...apt, "update"]);
    const install = ["--no-install-recommends", "--download-only", "install", "redis-server"];
    await run("apt-get", [...apt, ...install]);
    for (const archive of globSync("*.deb", { cwd: join(cache, "archives") })) {
      await run("dpkg", ["-x", join(cache, "archives", archive), join(work, "root")]);
    }
    await rename(join(work, "root"), KEPT).catch((error: unknown) => {
      if (!existsSync(KEPT)) throw error;
    });
  } catch (cause) {
    throw new Error("No redis-server: Debian's packages cannot be fetched. Install redis-server.", {
      cause,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function programsIn(root: string): readonly RedisProgram[] {
  const command = join(root, "usr/bin/redis-server");
  const libraries = globSync(["usr/lib/*-linux-*", "lib/*-linux-*"], { cwd: root });
  const path = libraries.map((library) => join(root, library)).join(":");
  return existsSync(command) ? [{ command, env: { LD_LIBRARY_PATH: path } }] : [];
}

async function starts({ command, env }: RedisProgram): Promise<boolean> {
  const version = run(command, ["--version"], { env: { ...process.env, ...env } });
  return version.then(
    () => true,
    () => false,
  );
}
