import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { median, milliseconds } from "../report/statistics.ts";
import { writeSession } from "../sessions/generate-session.ts";

/** What a command took on generated sessions, as a whole process. */
export interface SessionsFigures {
  readonly command: string;
  readonly bytes: number;
  readonly files: number;
  /** Of all repeats, from the start of the process to its end. */
  readonly minMs: number;
  readonly medianMs: number;
  /** Of the run that took most. */
  readonly peakBytes: number;
}

export interface SessionsRequest {
  /** Of all sessions together, in files of at most 2 MB. */
  readonly homeBytes: number;
  /** Of one session. */
  readonly fileBytes: number;
  readonly repeats: number;
  /** Node's own. */
  readonly flags: readonly string[];
}

const FIRST = "sessions";
const EXPLAIN = ["cache", "tokens", "lost"];
const FILE_BYTES = 2_000_000;

/** Measures the first command on many sessions, and every command on one large session. */
export async function sessionsAll({
  homeBytes,
  fileBytes,
  repeats,
  flags,
}: SessionsRequest): Promise<readonly SessionsFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-sessions-"));
  try {
    const home = join(folder, "home/.claude/projects/-home-ada");
    mkdirSync(home, { recursive: true });
    const files = Math.max(1, Math.ceil(homeBytes / FILE_BYTES));
    for (let seed = 0; seed < files; seed += 1) {
      await writeSession(join(home, `session-${seed}.jsonl`), homeBytes / files, seed);
    }
    const large = join(folder, "large");
    mkdirSync(large);
    await writeSession(join(large, "large.jsonl"), fileBytes, 1);
    const run = (command: string, dir: string): Run => runCommand([command, "--dir", dir], flags);
    return [
      figuresOf(
        FIRST,
        { bytes: homeBytes, files },
        repeated(repeats, () => run(FIRST, home)),
      ),
      ...[FIRST, ...EXPLAIN].map((command) =>
        figuresOf(command, { bytes: fileBytes, files: 1 }, [run(command, large)]),
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Run {
  readonly ms: number;
  readonly peakBytes: number;
}

function repeated(times: number, run: () => Run): readonly Run[] {
  return Array.from({ length: times }, run);
}

/** Tells on the last line of errors how much memory the process took at most. */
const TELL_PEAK =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+process.resourceUsage().maxRSS))";

const folder = fileURLToPath(new URL("../../../../packages/agent-history/", import.meta.url));

function runCommand(args: readonly string[], flags: readonly string[]): Run {
  const program = join(folder, flags.length > 0 ? "src/cli/main.ts" : "bin/agent-history.js");
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [...flags, "--import", TELL_PEAK, program, ...args],
    { encoding: "utf8" },
  );
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  return { ms, peakBytes: Number(stderr.trim().split("\n").at(-1)) * 1024 };
}

function figuresOf(
  command: string,
  what: Pick<SessionsFigures, "bytes" | "files">,
  runs: readonly Run[],
): SessionsFigures {
  const times = runs.map(({ ms }) => ms);
  const peakBytes = runs.reduce((most, run) => Math.max(most, run.peakBytes), 0);
  const minMs = times.reduce((least, ms) => Math.min(least, ms), Infinity);
  return { command, ...what, minMs, medianMs: median(times), peakBytes };
}

/** Draws what was found. */
export function sessionsTable(figures: readonly SessionsFigures[]): ResultTable {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return {
    title: "Sessions: the command on generated sessions",
    note: "Milliseconds of a whole process, its start included; peak resident memory.",
    head: ["command", "sessions", "files", "fastest, ms", "median, ms", "peak memory"],
    rows: figures.map(({ command, bytes, files, minMs, medianMs, peakBytes }) => [
      command,
      megabytes(bytes),
      `${files}`,
      milliseconds(minMs),
      milliseconds(medianMs),
      megabytes(peakBytes),
    ]),
    figures,
  };
}

const MOST_MS = 2000;
const MOST_PEAK_SHARE = 1;

/** Finds what is promised and was not kept: two seconds for the first command, and less memory than the file is long. */
export function brokenSessions(figures: readonly SessionsFigures[]): readonly string[] {
  return figures.flatMap(({ command, files, bytes, minMs, peakBytes }) => {
    if (files > 1)
      return minMs > MOST_MS ? [`${command} took ${minMs.toFixed(0)} ms on ${bytes} bytes.`] : [];
    return peakBytes > MOST_PEAK_SHARE * bytes
      ? [`${command} took ${peakBytes} bytes of memory for a file of ${bytes}.`]
      : [];
  });
}
