#!/usr/bin/env node
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { runCli } from "./run-cli.ts";

/** A runner passes on a Ctrl-C that the terminal has sent already: so soon after it is the same. */
const SAME_INTERRUPT_MS = 500;

const stop = new AbortController();
let stoppedAtMs = 0;
// A second Ctrl-C ends the process at once.
process.on("SIGINT", () => {
  if (stop.signal.aborted && Date.now() - stoppedAtMs > SAME_INTERRUPT_MS) process.exit(130);
  stoppedAtMs = stop.signal.aborted ? stoppedAtMs : Date.now();
  stop.abort();
});
process.once("SIGTERM", () => stop.abort());
// Whoever read the output wants no more of it: `demo | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// The workspace that the demo stands in; the built file lies deeper than its source.
const manifest = import.meta.resolve("@agent-history/demo-agent/package.json");
const workspace = fileURLToPath(new URL("../../", manifest));

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  defaultFolder: workspace,
  cacheFolder: join(workspace, "node_modules", ".cache", "agent-history-demo"),
  lines: () => createInterface({ input: process.stdin, signal: stop.signal }),
  signal: stop.signal,
});
