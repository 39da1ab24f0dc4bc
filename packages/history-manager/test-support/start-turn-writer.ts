import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { StoreAddress } from "./open-test-store.ts";

/** A process that answers requests. */
export interface TurnWriter {
  /** Sends a request that expects this version, and gives what became of it. */
  readonly request: (version: number) => Promise<readonly string[]>;
  /** Ends it, and waits for that. */
  readonly end: () => Promise<void>;
}

/** Starts a process with a manager of its own on a thread, and waits until it is ready. */
export async function startTurnWriter(address: StoreAddress, name: string): Promise<TurnWriter> {
  const script = fileURLToPath(new URL("turn-writer.ts", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(address), name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The writer ${name} ended with ${code}`));
    });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const line = await lines.next();
    return line.done === true ? ended.then(() => "[]") : line.value;
  };
  await nextLine();
  return {
    request: async (version) => {
      child.stdin.write(`${version}\n`);
      return JSON.parse(await nextLine());
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
