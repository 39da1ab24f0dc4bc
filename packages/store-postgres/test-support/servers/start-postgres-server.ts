import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { appendFile, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import { claimPort } from "../../../store-redis/test-support/servers/claim-port.ts";
import { watchdog } from "../../../store-redis/test-support/servers/watchdog.ts";
import { findPostgresProgram } from "./find-postgres-program.ts";
import type { PostgresProgram } from "./postgres-program.ts";
import { asNobody, isReady, NOBODY } from "./server-process.ts";

const run = promisify(execFile);

/** Name of the data folder within the server's folder, which also contains the socket. */
const DATA = "data";
const isRoot = process.getuid?.() === 0;

/** Options of `startPostgresServer`. */
export interface PostgresServerOptions {
  /** Settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Parent of the server's folder. Default: the folder for temporary files. */
  readonly parent?: string;
  /** Makes it a standby: a copy of a stopped server, which it then replicates. Default: an empty server. */
  readonly standbyOf?: Primary;
}

/** The primary that a standby copies and replicates. */
export interface Primary {
  readonly data: string;
  /** Port of the primary, or of a proxy for it. */
  readonly port: number;
}

/** A Postgres server that a test started. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Id of its main process. */
  readonly pid: number | undefined;
  /** Data folder. */
  readonly data: string;
  /** Kills all processes of the server at once and waits for the end of the main process. */
  readonly kill9: () => Promise<void>;
  /** Shuts the server down in order, as a restart does: ends connections first. */
  readonly stop: () => Promise<void>;
  /** Whether the server has ended by itself or was killed. */
  readonly hasEnded: () => boolean;
  /** Starts the server again on the same data and port. */
  readonly start: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Creates a database cluster, starts a server on a free port of 127.0.0.1 and waits until it accepts connections. The server ends with this process.
 *
 * @throws `Error` if this machine has no Postgres; see `describeWithPostgres`.
 */
export async function startPostgresServer({
  settings = {},
  parent = tmpdir(),
  standbyOf,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const program = await findPostgresProgram();
  if (program.kind === "none") throw new Error(program.reason);
  const dir = await makeFolder(parent);
  await (standbyOf === undefined ? makeCluster(program, dir) : copyCluster(standbyOf, dir));
  const dog = watchdog(["rm", "-rf", dir]);
  const { port, release } = await claimPort();
  const start = async (): Promise<ChildProcess> => {
    const child = launch(program, dir, { port: String(port), ...settings });
    dog.guard(child.pid);
    await isReady(child, "system is ready to accept");
    return child;
  };
  let running = await start();
  const hasEnded = (): boolean => running.exitCode !== null || running.signalCode !== null;
  const kill9 = async (): Promise<void> => {
    if (hasEnded()) return;
    const gone = once(running, "exit");
    // A stopped main process cannot start child processes that would survive the kill.
    running.kill("SIGSTOP");
    const others = childrenOf(running.pid);
    running.kill("SIGKILL");
    for (const pid of others) endAtOnce(pid);
    await gone;
    // Remaining processes would keep the shared memory that the next start needs.
    await eventually("the end of the server's processes", async () => others.every(hasGone));
    dog.guard(undefined);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return running.pid;
    },
    data: join(dir, DATA),
    kill9,
    stop: async () => {
      const gone = once(running, "exit");
      running.kill("SIGINT");
      await gone;
      dog.guard(undefined);
    },
    hasEnded,
    start: async () => {
      running = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await kill9();
      dog.dismiss();
      release();
      if (existsSync(dir)) await rm(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function launch(
  program: PostgresProgram,
  dir: string,
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  const all = { listen_addresses: "127.0.0.1", ...settings };
  const given = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const args = ["-D", join(dir, DATA), "-k", dir, ...given];
  const [postgres, ...own] = asNobody(join(program.folder, "postgres"), args);
  const env = environmentOf(program);
  return spawn(postgres, own, { env, cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
}

/** Creates a folder owned by a user who may run the server. */
async function makeFolder(parent: string): Promise<string> {
  const dir = await mkdtemp(join(parent, "agent-history-postgres-"));
  if (isRoot) await chown(dir, Number(NOBODY), Number(NOBODY));
  return dir;
}

async function makeCluster(program: PostgresProgram, dir: string): Promise<void> {
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"];
  const args = ["-D", join(dir, DATA), ...options];
  const [initdb, ...initdbArgs] = asNobody(join(program.folder, "initdb"), args);
  await run(initdb, initdbArgs, { env: environmentOf(program), cwd: dir });
}

async function copyCluster({ data, port }: Primary, dir: string): Promise<void> {
  const copy = join(dir, DATA);
  await run("cp", ["-a", data, copy]);
  const follows = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\nwal_retrieve_retry_interval = 100\n`;
  await appendFile(join(copy, "postgresql.auto.conf"), follows);
  // The file keeps its owner; the server removes it at promotion.
  await run("cp", ["-a", join(copy, "PG_VERSION"), join(copy, "standby.signal")]);
}

function environmentOf({ libraryPath }: PostgresProgram): NodeJS.ProcessEnv {
  return { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
}

/** The child processes: each connection has its own process, in its own session. */
function childrenOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
}

/** Whether a process has ended, or is a zombie. */
function hasGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return true;
  }
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
