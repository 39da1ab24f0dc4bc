import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** How a process of the demo ended. */
export interface DemoRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the demo in a project's folder, and kills it (SIGKILL) as soon as its thread has so many entries' worth of output or time has passed. */
export async function runDemo(
  folder: string,
  args: readonly string[],
  {
    env = {},
    killAfterMs,
  }: { readonly env?: Record<string, string>; readonly killAfterMs?: number } = {},
): Promise<DemoRun> {
  const child = spawn(process.execPath, ["--conditions=@agent-history/source", main, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += String(data)));
  child.stderr.on("data", (data) => (output += String(data)));
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code: typeof code === "number" ? code : null, output };
}

/** Kills the demo at random moments until it ends by itself; each process goes on with what the one before wrote. */
export async function runKilled(
  folder: string,
  { kills, env = {} }: { readonly kills: number; readonly env?: Record<string, string> },
): Promise<DemoRun & { readonly killed: number }> {
  let killed = 0;
  while (killed < kills) {
    // Loading takes a good second; the work of the fixture's session as long again.
    const run = await runDemo(folder, ["--resume", "--window", "6000"], {
      env,
      killAfterMs: 600 + Math.random() * 2500,
    });
    if (run.code !== null) return { ...run, killed };
    killed += 1;
  }
  return { ...(await runDemo(folder, ["--resume", "--window", "6000"], { env })), killed };
}
