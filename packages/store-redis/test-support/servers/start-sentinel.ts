import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { claimPort } from "./claim-port.ts";
import { findRedisProgram } from "./find-redis-program.ts";
import { PRIMARY_NAME } from "./primary-name.ts";
import { runServer } from "./run-server.ts";
import { watchdog } from "./watchdog.ts";

/** A sentinel that a test started. */
export interface Sentinel {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts one sentinel that watches a primary, and promotes a replica after half a second of silence. */
export async function startSentinel(primaryPort: number): Promise<Sentinel> {
  const program = await findRedisProgram();
  if (program.kind === "none") throw new Error(program.reason);
  const dir = await mkdtemp(join(tmpdir(), "agent-history-sentinel-"));
  const { port, release } = await claimPort();
  // A sentinel rewrites its own settings file.
  const file = join(dir, "sentinel.conf");
  await writeFile(file, settings(port, primaryPort));
  const name = `agent-history-sentinel-${process.pid}-${port}`;
  const isDocker = program.kind === "docker";
  const dog = watchdog(isDocker ? ["docker", "rm", "-f", name] : ["rm", "-rf", dir]);
  const args = [file, "--sentinel"];
  const running = await runServer({ program, name, dir, args, dog, readyText: "+monitor master" });
  const stop = async (): Promise<void> => {
    await running.end("SIGKILL");
    dog.dismiss();
    release();
    await rm(dir, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop };
}

function settings(port: number, primaryPort: number): string {
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primaryPort} 1`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} 500`,
    `sentinel failover-timeout ${PRIMARY_NAME} 5000`,
    `sentinel parallel-syncs ${PRIMARY_NAME} 1`,
  ];
  return `${lines.join("\n")}\n`;
}
