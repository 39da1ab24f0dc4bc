import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { claimPort } from "../../../store-redis/test-support/servers/claim-port.ts";
import { unpackPackages } from "../../../store-redis/test-support/servers/debian-packages.ts";
import { watchdog } from "../../../store-redis/test-support/servers/watchdog.ts";
import { asNobody, isReady, NOBODY } from "./server-process.ts";

const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/agent-history/pgbouncer");
const CONNECTIONS = 3;

/** A PgBouncer in transaction mode that a test started. */
export interface Pgbouncer extends AsyncDisposable {
  readonly url: string;
  /** Number of connections to the server, shared by all clients. */
  readonly connections: number;
}

/** Starts Debian's PgBouncer, unpacked into the workspace's cache, for the server on a port. */
export async function startPgbouncer(target: number): Promise<Pgbouncer> {
  const root = await unpacked();
  const dir = await mkdtemp(join(tmpdir(), "agent-history-pgbouncer-"));
  const { port, release } = await claimPort();
  const config = join(dir, "pgbouncer.ini");
  await writeFile(
    config,
    `[databases]
postgres = host=127.0.0.1 port=${target} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${CONNECTIONS}
ignore_startup_parameters = extra_float_digits,options
unix_socket_dir =
`,
  );
  if (process.getuid?.() === 0) {
    for (const path of [dir, config]) await chown(path, Number(NOBODY), Number(NOBODY));
  }
  const dog = watchdog(["rm", "-rf", dir]);
  const child = start(root, config);
  dog.guard(child.pid);
  await isReady(child, "process up");
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    connections: CONNECTIONS,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      dog.dismiss();
      release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function start(root: string, config: string): ChildProcess {
  const libraries = globSync(["usr/lib/*-linux-*", "lib/*-linux-*"], { cwd: root });
  const libraryPath = libraries.map((folder) => join(root, folder)).join(":");
  const [command, ...args] = asNobody(join(root, "usr/sbin/pgbouncer"), [config]);
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath };
  return spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
}

async function unpacked(): Promise<string> {
  const kept = join(CACHE, `${process.platform}-${process.arch}`);
  if (existsSync(kept)) return kept;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "unpacking-"));
  try {
    await unpackPackages(work, { packages: ["pgbouncer"] });
    await rename(join(work, "root"), kept);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return kept;
}
