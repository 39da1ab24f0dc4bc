#!/usr/bin/env node
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { stderr, stdin, stdout } from "node:process";
import { text as textOf } from "node:stream/consumers";

import { HistoryError, isHistoryError } from "@agent-history/core";
import open from "open";
import picocolors from "picocolors";
import wrapAnsi from "wrap-ansi";

import { runCommand } from "./run-command.ts";

// A reader such as `head` may close the pipe early.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const { version }: { readonly version: string } = createRequire(import.meta.url)(
  "agent-history/package.json",
);
const columns = stdout.columns ?? Number(process.env["COLUMNS"] ?? 100);

try {
  process.exitCode = await runCommand(process.argv.slice(2), {
    write: (text) => void stdout.write(text),
    tell: (text) => void stderr.write(text),
    columns,
    isLive: stderr.isTTY,
    hasColor: picocolors.isColorSupported && stdout.isTTY,
    readInput,
    stopSignal,
    openBrowser: async (target) => void (await open(target)),
    version,
    home: homedir(),
    env: process.env,
  });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(`${wrapAnsi(message, columns)}\n`);
  process.exitCode = isHistoryError(error) ? 2 : 1;
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
  return stopping.signal;
}

async function readInput(): Promise<string> {
  if (!stdin.isTTY) return textOf(stdin);
  throw new HistoryError("No input. Pass a file, or pipe messages to standard input.", {
    code: "INVALID_OPTION",
    details: { option: "file" },
  });
}
