import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { claimPort } from "../../../store-redis/test-support/servers/claim-port.ts";
import { watchdog } from "../../../store-redis/test-support/servers/watchdog.ts";
import { findPostgresProgram } from "./find-postgres-program.ts";
import type { PostgresProgram } from "./postgres-program.ts";
import { asNobody, isReady, NOBODY } from "./server-process.ts";

const run = promisify(execFile);

/** Within the folder, which also holds the socket. */
const DATA = "data";
const isRoot = process.getuid?.() === 0;

/** How a server runs. */
export interface PostgresServerOptions {
  /** Settings beside its defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where its data are put, in a folder of its own. Default: the folder for temporary files. */
  readonly parent?: string;
}

/** A Postgres server of this test's own. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Kills every process of the server at once and waits for the end of the first. */
  readonly kill9: () => Promise<void>;
  /** Whether it has ended by itself, or was killed. */
  readonly hasEnded: () => boolean;
  /** Starts the server again on the same data and port. */
  readonly start: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Makes a cluster, starts a server on a free port of 127.0.0.1 and waits until it takes connections. It dies with this process.
 *
 * @throws `Error` where this machine has none; see `describeWithPostgres`.
 */
export async function startPostgresServer({
  settings = {},
  parent = tmpdir(),
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const program = await findPostgresProgram();
  if (program.kind === "none") throw new Error(program.reason);
  const dir = await makeCluster(program, parent);
  const dog = watchdog(["rm", "-rf", dir]);
  const { port, release } = await claimPort();
  const all = { port: String(port), listen_addresses: "127.0.0.1", ...settings };
  const given = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [postgres, ...args] = asNobody(join(program.folder, "postgres"), [
    "-D",
    join(dir, DATA),
    "-k",
    dir,
    ...given,
  ]);
  const start = async (): Promise<ChildProcess> => {
    const env = environmentOf(program);
    const child = spawn(postgres, args, { env, cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
    dog.guard(child.pid);
    await isReady(child, "ready to accept connections");
    return child;
  };
  let running = await start();
  const hasEnded = (): boolean => running.exitCode !== null || running.signalCode !== null;
  const kill9 = async (): Promise<void> => {
    if (hasEnded()) return;
    const gone = once(running, "exit");
    const others = childrenOf(running.pid);
    running.kill("SIGKILL");
    for (const pid of others) endAtOnce(pid);
    await gone;
    dog.guard(undefined);
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    kill9,
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

/** Makes a folder with an empty cluster in it, of a user who may run the server. */
async function makeCluster(program: PostgresProgram, parent: string): Promise<string> {
  const dir = await mkdtemp(join(parent, "agent-history-postgres-"));
  if (isRoot) await chown(dir, Number(NOBODY), Number(NOBODY));
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"];
  const args = ["-D", join(dir, DATA), ...options];
  const [initdb, ...initdbArgs] = asNobody(join(program.folder, "initdb"), args);
  await run(initdb, initdbArgs, { env: environmentOf(program), cwd: dir });
  return dir;
}

function environmentOf({ libraryPath }: PostgresProgram): NodeJS.ProcessEnv {
  return { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
}

/** Each connection has a process of its own, in a session of its own. */
function childrenOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
