import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { timingCells } from "../report/timing-cells.ts";
import { writeSession } from "../sessions/generate-session.ts";

/** What a command took on generated sessions, as a whole process. */
export interface SessionsFigures {
  readonly command: string;
  readonly bytes: number;
  readonly files: number;
  /** From the start of the process to its end. */
  readonly process: Timing;
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
    const many = { command: FIRST, dir: home, bytes: homeBytes, files };
    const one = { dir: large, bytes: fileBytes, files: 1 };
    const rows = [many, ...[FIRST, ...EXPLAIN].map((command) => ({ command, ...one }))];
    const peaks = rows.map(() => 0);
    const timings = await takeTurns(
      rows.map(({ command, dir }, nth) => () => {
        const { ms, peakBytes } = runCommand([command, "--dir", dir], flags);
        peaks[nth] = Math.max(peaks[nth] ?? 0, peakBytes);
        return ms;
      }),
      repeats,
    );
    return rows.flatMap(({ command, bytes, files: count }, nth) => {
      const [process, peakBytes = 0] = [timings[nth], peaks[nth]];
      return process === undefined ? [] : { command, bytes, files: count, process, peakBytes };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Run {
  readonly ms: number;
  readonly peakBytes: number;
}

/** Tells on the last line of errors how much memory the process took at most. */
const TELL_PEAK =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+process.resourceUsage().maxRSS))";

const folder = fileURLToPath(new URL("../../../../packages/agent-history/", import.meta.url));

function runCommand(args: readonly string[], flags: readonly string[]): Run {
  const program = join(folder, flags.length > 0 ? "src/cli/main.ts" : "dist/cli/main.js");
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

/** Draws what was found. */
export function sessionsTable(figures: readonly SessionsFigures[]): ResultTable {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return {
    title: "Sessions: the command on generated sessions",
    note: "Milliseconds of a whole process, its start included; the commands take turns, and what differs between its halves by more than a third is run again (unsteady: it still does). Peak resident memory of the run that took most.",
    head: ["command", "sessions", "files", "fastest, ms", "median, ms", "peak memory", "load"],
    rows: figures.map(({ command, bytes, files, process: took, peakBytes }) => [
      command,
      megabytes(bytes),
      `${files}`,
      ...timingCells(took),
      megabytes(peakBytes),
      took.load.toFixed(1),
    ]),
    figures,
  };
}

const MOST_MS = 2000;
const MOST_PEAK_SHARE = 1;

/** Finds what is promised and was not kept: two seconds for the first command, and less memory than the file is long. */
export function brokenSessions(figures: readonly SessionsFigures[]): readonly string[] {
  return figures.flatMap(({ command, files, bytes, process: { minMs }, peakBytes }) => {
    if (files > 1)
      return minMs > MOST_MS ? [`${command} took ${minMs.toFixed(0)} ms on ${bytes} bytes.`] : [];
    return peakBytes > MOST_PEAK_SHARE * bytes
      ? [`${command} took ${peakBytes} bytes of memory for a file of ${bytes}.`]
      : [];
  });
}
