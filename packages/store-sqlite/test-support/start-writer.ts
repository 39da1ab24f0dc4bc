import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A writer in a separate process. */
export interface Writer {
  /** The last batch that it reported as acknowledged; -1 before the first. */
  readonly acknowledged: () => number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** Starts a process that writes batches; kills it once it has acknowledged `killAfter` of them. */
export function startWriter(
  path: string,
  name: string,
  options: {
    readonly threadId: string;
    readonly batches: number;
    readonly largest: number;
    readonly killAfter?: number;
    readonly survivesPowerLoss?: boolean;
  },
): Writer {
  const { threadId, batches, largest, killAfter = Infinity, survivesPowerLoss } = options;
  const script = fileURLToPath(new URL("writer.ts", import.meta.url));
  const orders = [path, threadId, name, String(batches), String(largest)];
  if (survivesPowerLoss === true) orders.push("survivesPowerLoss");
  const child: ChildProcess = spawn(process.execPath, [...process.execArgv, script, ...orders], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = -1;
  const ended = new Promise<void>((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0 || killAfter !== Infinity) resolve();
      else reject(new Error(`The writer ${name} ended with ${code}`));
    });
  });
  if (child.stdout === null) throw new Error("The writer has an output");
  createInterface({ input: child.stdout }).on("line", (line) => {
    acknowledged = Math.max(acknowledged, Number(line));
    if (acknowledged + 1 >= killAfter) child.kill("SIGKILL");
  });
  return { acknowledged: () => acknowledged, ended };
}
