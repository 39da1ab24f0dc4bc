import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

/** How a server is started. */
export interface ServerProgram {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Folder of its data, removed with the server. */
  readonly dir: string;
  /** Part of the line by which it says that it takes connections. */
  readonly readyText: string;
  /** Ends all of its processes at once, without writing anything. */
  readonly crashSignal: "SIGKILL" | "SIGQUIT";
}

/** A server of a test's own on 127.0.0.1, which dies with this process. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly dir: string;
  readonly pid: () => number | undefined;
  /** Sends a signal: `SIGSTOP` and `SIGCONT` freeze and resume it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends it at once, as a crash does, and waits for its end. */
  readonly crash: () => Promise<void>;
  /** Starts it again on the same data and port; ends it by `SIGTERM` first if it still runs. */
  readonly restart: () => Promise<void>;
}

/** Starts a server on a free port and waits until it takes connections. */
export async function runServer(program: ServerProgram): Promise<TestServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return await runOn(port, program);
    } catch (error) {
      // Another process may have taken the port since.
      if (attempt === 5) throw error;
    }
  }
}

async function runOn(port: number, program: ServerProgram): Promise<TestServer> {
  const { dir, crashSignal } = program;
  const watchdog = startWatchdog(dir);
  let child = await start(port, program).catch((error: unknown) => {
    watchdog.kill("SIGKILL");
    throw error;
  });
  watchdog.stdin?.write(`${child.pid}\n`);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (hasEnded()) return;
    const gone = once(child, "exit");
    child.kill(signal);
    // A frozen process takes no other signal.
    child.kill("SIGCONT");
    await gone;
  };
  return {
    port,
    dir,
    pid: () => (hasEnded() ? undefined : child.pid),
    signal: (signal) => void child.kill(signal),
    crash: () => end(crashSignal),
    restart: async () => {
      await end("SIGTERM");
      child = await start(port, program);
      watchdog.stdin?.write(`${child.pid}\n`);
    },
    [Symbol.asyncDispose]: async () => {
      await end(crashSignal);
      watchdog.kill("SIGKILL");
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function start(port: number, program: ServerProgram): Promise<ChildProcess> {
  const { command, args, env, dir, readyText } = program;
  const child = spawn(command, args(port), {
    env: { ...process.env, ...env },
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C must not end it before the test does.
    detached: true,
  });
  const lastLines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (lastLines.push(line) > 20) lastLines.shift();
        if (line.includes(readyText)) resolve();
      });
    }
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${command} ended:\n${lastLines.join("\n")}`)));
  });
  return child;
}

/** Kills the last process named on its input and removes the folder as soon as this process is gone, whatever ended it. */
function startWatchdog(dir: string): ChildProcess {
  const script =
    'while read -r pid; do last=$pid; done; [ -n "$last" ] && kill -KILL "$last"; rm -rf "$1"';
  const dog = spawn("/bin/sh", ["-c", script, "watchdog", dir], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  dog.unref();
  dog.stdin?.on("error", () => undefined);
  return dog;
}

/** A port below those that systems give to outgoing connections, so that a server finds it again after a restart. */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const port = 11_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error("No free port between 11,000 and 21,000");
}
