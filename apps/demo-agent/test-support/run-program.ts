import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../cli/main.ts", import.meta.url));

/** How a process of the demo ended. */
export interface ProgramEnd {
  /** `undefined` where it was killed. */
  readonly exitCode: number | undefined;
  /** The lines of its output. */
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs the demo as a process of its own; `kill` is asked after each line whether it is to be killed, with no warning. */
export async function runProgram(
  args: readonly string[],
  kill: (lineCount: number) => boolean = () => false,
): Promise<ProgramEnd> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, AGENT_HISTORY_MODEL: "offline", REDIS_URL: "" },
  });
  const lines: string[] = [];
  let errors = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    if (kill(lines.length)) child.kill("SIGKILL");
  });
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  await once(child, "close");
  return { exitCode: child.exitCode ?? undefined, lines, errors };
}
