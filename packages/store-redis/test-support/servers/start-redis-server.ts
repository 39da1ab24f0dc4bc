import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { claimPort } from "./claim-port.ts";
import type { ClaimedPort } from "./claim-port.ts";
import { findRedisProgram } from "./find-redis-program.ts";
import { redisArguments } from "./redis-arguments.ts";
import type { RedisServerOptions } from "./redis-arguments.ts";
import type { RedisProgram } from "./redis-program.ts";
import { runServer } from "./run-server.ts";
import type { RunningServer } from "./run-server.ts";
import { watchdog } from "./watchdog.ts";

/** Linux's in-memory file system. */
const MEMORY = "/dev/shm";

/** A redis-server that a test started. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Data folder. */
  readonly dir: string;
  /** Id of the current process. */
  readonly pid: () => number | undefined;
  /** Kills the server like a crash of its process, and waits for its end. */
  readonly kill9: () => Promise<void>;
  /** Stops the server and removes its data, unless the folder was passed. */
  readonly stop: () => Promise<void>;
  /** Freezes the server: it accepts connections but answers nothing. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Restarts the server on the same data and port; stops it first if it is running. */
  readonly restart: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Starts a redis-server on a free port of 127.0.0.1 and waits until it accepts commands.
 *
 * The server ends with this process, however that ends.
 *
 * @throws `Error` if this machine cannot run one; see `describeWithRedis`.
 */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const program = await findRedisProgram(options.server);
  if (program.kind === "none") throw new Error(program.reason);
  const parent = options.inMemory === true && existsSync(MEMORY) ? MEMORY : tmpdir();
  const dir = options.dir ?? (await mkdtemp(join(parent, "agent-history-redis-")));
  const isOwn = options.dir === undefined;
  for (let attempt = 1; ; attempt += 1) {
    const claimed = options.port === undefined ? await claimPort() : given(options.port);
    try {
      return await startOn(claimed, { program, dir, isOwn, options });
    } catch (error) {
      claimed.release();
      // Another process may have taken the port meanwhile.
      if (options.port === undefined && attempt < 5) continue;
      if (isOwn) await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }
}

/** A port that the caller chose and is responsible for. */
function given(port: number): ClaimedPort {
  return { port, release: () => undefined };
}

interface Setting {
  readonly program: RedisProgram;
  readonly dir: string;
  readonly isOwn: boolean;
  readonly options: RedisServerOptions;
}

async function startOn({ port, release }: ClaimedPort, setting: Setting): Promise<RedisServer> {
  const { program, dir, isOwn, options } = setting;
  const name = `agent-history-${process.pid}-${port}`;
  const cleanUp = isOwn ? ["rm", "-rf", dir] : ["true"];
  const dog = watchdog(program.kind === "docker" ? ["docker", "rm", "-f", name] : cleanUp);
  const start = (): Promise<RunningServer> =>
    runServer({ program, name, dir, args: redisArguments(port, dir, options), dog });
  let running: RunningServer;
  try {
    running = await start();
  } catch (error) {
    dog.dismiss();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await running.end("SIGKILL");
    dog.dismiss();
    release();
    if (isOwn && existsSync(dir)) await rm(dir, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    pid: () => running.pid(),
    kill9: () => running.end("SIGKILL"),
    stop,
    pause: () => running.signal("SIGSTOP"),
    resume: () => running.signal("SIGCONT"),
    restart: async () => {
      await running.end("SIGTERM");
      running = await start();
    },
    [Symbol.asyncDispose]: stop,
  };
}
