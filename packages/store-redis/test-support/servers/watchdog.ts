import { spawn } from "node:child_process";

/** Kills a process when this one ends, for whatever reason. */
export interface Watchdog {
  /** Sets the process to kill; `undefined` if there is none at the moment. */
  readonly guard: (pid: number | undefined) => void;
  /** Stops the watchdog. */
  readonly dismiss: () => void;
}

/** Its input ends when this process ends, by any signal: then it kills the guarded process and cleans up. */
const SCRIPT = 'while read -r pid; do last=$pid; done; [ -n "$last" ] && kill -KILL "$last"; "$@"';

/**
 * Starts a watchdog: after this process has ended, it kills the guarded one and runs `cleanUp`.
 *
 * It has its own process group, so that Ctrl-C does not end it first.
 */
export function watchdog(cleanUp: readonly string[]): Watchdog {
  const dog = spawn("/bin/sh", ["-c", SCRIPT, "watchdog", ...cleanUp], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  dog.unref();
  dog.stdin.on("error", () => undefined);
  return {
    guard: (pid) => void dog.stdin.write(`${pid ?? ""}\n`),
    dismiss: () => void dog.kill("SIGKILL"),
  };
}
