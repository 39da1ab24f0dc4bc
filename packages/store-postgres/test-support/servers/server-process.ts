import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** The id of the user `nobody` on Linux. Postgres and PgBouncer refuse to run as root, and run as `nobody` instead. */
export const NOBODY = "65534";

/** The command that runs a program, as `nobody` if this process runs as root. */
export function asNobody(program: string, args: readonly string[]): readonly [string, ...string[]] {
  if (process.getuid?.() !== 0) return [program, ...args];
  return ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", program, ...args];
}

/** Waits for the output line that reports readiness; keeps draining the output afterwards. */
export async function isReady(child: ChildProcess, readyText: string): Promise<void> {
  const lines: string[] = [];
  const { stderr } = child;
  if (stderr === null) throw new Error("Expected the server's output");
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: stderr }).on("line", (line) => {
      if (lines.push(line) > 20) lines.shift();
      if (line.includes(readyText)) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The server ended:\n${lines.join("\n")}`)));
  });
}
