import { spawn } from "node:child_process";

/** Ends a process when this one is gone, however it went. */
export interface Watchdog {
  /** Names the process to end; `undefined` where there is none at the moment. */
  readonly guard: (pid: number | undefined) => void;
  /** Sends the watchdog home. */
  readonly dismiss: () => void;
}

/** Its input ends when this process does, by whatever signal: then it kills and cleans up. */
const SCRIPT = 'while read -r pid; do last=$pid; done; [ -n "$last" ] && kill -KILL "$last"; "$@"';

/**
 * Starts a watchdog: once this process has died, it kills the guarded one and runs `cleanUp`.
 *
 * It stands in a process group of its own, so that Ctrl-C does not end it first.
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
