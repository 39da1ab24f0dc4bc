import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { RedisProgram } from "./redis-program.ts";
import type { Watchdog } from "./watchdog.ts";

/** Options of `runServer`. */
interface ServerRun {
  readonly program: RedisProgram;
  /** Container name. */
  readonly name: string;
  readonly dir: string;
  readonly args: readonly string[];
  readonly dog: Watchdog;
  /** Text in the output line that reports readiness. */
  readonly readyText?: string;
}

/** A server process that accepts commands. */
export interface RunningServer {
  readonly pid: () => number | undefined;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends the signal and waits until the process has ended. */
  readonly end: (signal: "SIGKILL" | "SIGTERM") => Promise<void>;
}

/** Runs a server as a child process, guarded by the watchdog, and waits until it accepts commands. */
export async function runServer(run: ServerRun): Promise<RunningServer> {
  const { program, name, dog, readyText = "Ready to accept connections" } = run;
  const child = launch(run);
  dog.guard(child.pid);
  let isGone = false;
  const gone = once(child, "close");
  // A failed start is reported below.
  gone.catch(() => undefined);
  child.once("close", () => {
    isGone = true;
    dog.guard(undefined);
  });
  await readiness(child, readyText);
  const signal = (sent: NodeJS.Signals): void => {
    if (program.kind === "docker") spawnSync("docker", ["kill", "--signal", sent, name]);
    else child.kill(sent);
  };
  return {
    pid: () => (isGone ? undefined : child.pid),
    signal,
    end: async (sent) => {
      if (!isGone) signal(sent);
      await gone;
    },
  };
}

function launch({ program, name, dir, args }: ServerRun): ChildProcess {
  const options: SpawnOptions = { stdio: ["ignore", "pipe", "pipe"], detached: true };
  if (program.kind === "docker") {
    const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    // Uses the host's network: cluster nodes and replicas connect to each other by port.
    const location = ["--network", "host", "--volume", `${dir}:${dir}`, "--user", user];
    const container = ["run", "--rm", "--name", name, ...location, program.image, "redis-server"];
    return spawn("docker", [...container, ...args], options);
  }
  const { libraryPath, prefix = [] } = program;
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  return spawn(program.path, [...prefix, ...args], { ...options, env });
}

/** Waits for the output line that reports readiness; keeps draining the output afterwards. */
async function readiness(child: ChildProcess, readyText: string): Promise<void> {
  const lastLines: string[] = [];
  const isReady = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        if (lastLines.push(line) > 20) lastLines.shift();
        if (line.includes(readyText)) resolve(true);
      });
    }
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`redis-server ended:\n${lastLines.join("\n")}`)));
  });
  // A server that is stopped later is not a failure.
  failed.catch(() => undefined);
  await Promise.race([isReady, failed]);
}
