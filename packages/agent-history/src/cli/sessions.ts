import { existsSync } from "node:fs";
import { basename } from "node:path";

import type { PriceTable, TranscriptItem } from "@agent-history/transcripts";
import {
  findTranscripts,
  readTranscriptFile,
  transcriptFolders,
} from "@agent-history/transcripts/node";
import type { TranscriptFile } from "@agent-history/transcripts/node";

import type { CliContext } from "./cli-context.ts";
import { invalidOption } from "./cli-context.ts";

/** Options common to all commands that read sessions. */
export interface SessionOptions {
  readonly json?: true;
  readonly redact?: true;
  readonly dir?: string;
  readonly prices: PriceTable;
  readonly limit: number;
}

/** The answer of a command, as JSON and as a screen. The screen is drawn only if it is shown. */
export interface Answer {
  readonly json: unknown;
  readonly screen: () => readonly (string | undefined)[];
}

/** The files of one session: its main file first, then its subagents. */
export interface SessionFiles {
  readonly sessionId: string;
  readonly project?: string | undefined;
  readonly modifiedAtMs: number;
  readonly files: readonly TranscriptFile[];
}

/** Finds all sessions, newest first, or the one that is named. */
export async function findSessions(
  { home, env }: CliContext,
  { dir }: Pick<SessionOptions, "dir">,
  wanted: string | undefined,
): Promise<readonly SessionFiles[]> {
  if (wanted !== undefined && existsSync(wanted)) {
    const file = { path: wanted, sessionId: basename(wanted), bytes: 0, modifiedAtMs: 0 };
    return [{ ...file, files: [file] }];
  }
  const sessions = new Map<string, SessionFiles>();
  for (const file of await findTranscripts(dir === undefined ? { home, env } : { folder: dir })) {
    const id = `${file.project ?? ""}/${file.sessionId}`;
    const { files, ...first } = sessions.get(id) ?? { ...file, files: [] };
    sessions.set(id, { ...first, files: [...files, file].toSorted(mainFirst) });
  }
  const matching = [...sessions.values()].filter((one) => one.sessionId.startsWith(wanted ?? ""));
  if (matching.length > 0) return matching;
  const folders = dir === undefined ? transcriptFolders({ home, env }) : [dir];
  const what =
    wanted === undefined
      ? "Found no sessions of Claude Code, Codex CLI or Copilot CLI"
      : `Found no file "${wanted}", and no session whose id begins with it`;
  throw invalidOption(
    "session",
    `${what}. Searched in:\n${folders.map((folder) => `- ${folder}\n`).join("")}Pass --dir to search another folder.`,
  );
}

function mainFirst(a: TranscriptFile, b: TranscriptFile): number {
  return Number(a.agentId !== undefined) - Number(b.agentId !== undefined);
}

/** Consumes the items of a file and returns a result. */
export interface Meter<Result> {
  readonly add: (item: TranscriptItem) => void;
  readonly result: () => Result | Promise<Result>;
}

/** Creates a meter that keeps all items of a file, and returns what `read` makes of them. */
export function itemMeter<Result>(
  read: (items: readonly TranscriptItem[]) => Result | Promise<Result>,
): Meter<Result> {
  const items: TranscriptItem[] = [];
  return { add: (item) => void items.push(item), result: () => read(items) };
}

/** Leaves out the files of subagents. */
export function mainFiles({ files, ...session }: SessionFiles): SessionFiles {
  return { ...session, files: files.slice(0, 1) };
}

export interface ReadSession<Result> {
  readonly session: SessionFiles;
  /** One result per file. */
  readonly results: readonly Result[];
}

const LONG_BYTES = 20_000_000;

/** Reads the files of sessions one at a time, each with its own meter, and shows progress if there is much to read. Files that are no sessions are skipped. */
export async function readSessions<Result>(
  { tell, isLive }: CliContext,
  sessions: readonly SessionFiles[],
  meter: () => Meter<Result>,
  options: { readonly entries: boolean } = { entries: true },
): Promise<readonly ReadSession<Result>[]> {
  const total = sessions.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
  const isLong = isLive && total > LONG_BYTES;
  const read: ReadSession<Result>[] = [];
  let done = 0;
  for (const session of sessions) {
    const results: Result[] = [];
    for (const { path, format, bytes } of session.files) {
      const { add, result } = meter();
      const onItems = (items: readonly TranscriptItem[]): void => items.forEach(add);
      const isRead = await readTranscriptFile(path, { ...options, onItems, format });
      if (isRead !== undefined) results.push(await result());
      done += bytes;
      if (isLong) tell(`\rreading ${Math.round((100 * done) / total)}%`);
    }
    if (results.length > 0) read.push({ session, results });
  }
  // Clear the progress line.
  if (isLong) tell("\r\u001B[2K");
  const [only, another] = sessions;
  if (read.length > 0 || another !== undefined) return read;
  throw invalidOption(
    "session",
    `Expected a session of Claude Code, Codex CLI or Copilot CLI; got ${only?.files[0]?.path}.`,
  );
}
