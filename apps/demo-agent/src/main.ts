#!/usr/bin/env node
import { fileURLToPath } from "node:url";

import { runCli } from "./cli/run-cli.ts";

const stop = new AbortController();
// Once: a second Ctrl-C ends the process at once.
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());
// Whoever read the output wants no more of it: `demo | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  // The workspace that the demo stands in.
  defaultFolder: fileURLToPath(new URL("../../../", import.meta.url)),
  signal: stop.signal,
});
