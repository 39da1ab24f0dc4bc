import { homedir } from "node:os";
import { stderr, stdin, stdout } from "node:process";
import { text as textOf } from "node:stream/consumers";

import { HistoryError, isHistoryError } from "@agent-history/core";
import picocolors from "picocolors";

import { runCommand } from "./run-command.ts";

// A reader such as `head` may close the pipe early.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.exitCode = await runCommand(process.argv.slice(2), {
    write: (text) => void stdout.write(text),
    tell: (text) => void stderr.write(text),
    columns: stdout.columns ?? Number(process.env["COLUMNS"] ?? 100),
    isLive: stderr.isTTY,
    hasColor: picocolors.isColorSupported && stdout.isTTY,
    readInput,
    stopSignal,
    home: homedir(),
    env: process.env,
  });
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isHistoryError(error) ? 2 : 1;
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
  return stopping.signal;
}

async function readInput(): Promise<string> {
  if (!stdin.isTTY) return textOf(stdin);
  throw new HistoryError("Expected a file, or messages on standard input.", {
    code: "INVALID_OPTION",
    details: { option: "file" },
  });
}
