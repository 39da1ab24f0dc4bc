import { existsSync } from "node:fs";
import { basename } from "node:path";

import { HistoryError } from "@agent-history/core";
import { findTranscripts } from "@agent-history/transcripts/node";
import type { TranscriptFile } from "@agent-history/transcripts/node";

import type { CliContext } from "./cli-context.ts";
import type { SessionOptions } from "./session-options.ts";

/** The files of one session: its own first, then those of its subagents. */
export interface SessionFiles {
  readonly sessionId: string;
  readonly project?: string;
  readonly modifiedAtMs: number;
  readonly files: readonly TranscriptFile[];
}

/** Finds the sessions that a command is about: all, or the one that is named. */
export async function findSessions(
  { home, env }: CliContext,
  { dir }: Pick<SessionOptions, "dir">,
  wanted?: string,
): Promise<readonly SessionFiles[]> {
  if (wanted !== undefined && existsSync(wanted)) {
    const file = { path: wanted, sessionId: basename(wanted), bytes: 0, modifiedAtMs: 0 };
    return [{ ...file, files: [file] }];
  }
  const found = await findTranscripts(dir === undefined ? { home, env } : { folder: dir });
  const sessions = new Map<string, [TranscriptFile, ...TranscriptFile[]]>();
  for (const file of found) {
    const id = `${file.project ?? ""}/${file.sessionId}`;
    const known = sessions.get(id);
    if (known) known.push(file);
    else sessions.set(id, [file]);
  }
  const all = [...sessions.values()].map(sessionOf);
  const matching = all.filter(({ sessionId }) => sessionId.startsWith(wanted ?? ""));
  if (matching.length > 0) return matching;
  const location = dir ?? "the folders of Claude Code, Codex and Copilot";
  const what = wanted === undefined ? "sessions" : `a session or a file "${wanted}"`;
  throw new HistoryError(
    `Expected ${what} in ${location}, found none. Pass --dir to read another folder.`,
    {
      code: "INVALID_OPTION",
      details: { option: "session" },
    },
  );
}

function sessionOf(files: readonly [TranscriptFile, ...TranscriptFile[]]): SessionFiles {
  const isAgent = ({ agentId }: TranscriptFile): number => Number(agentId !== undefined);
  const [{ sessionId, project }] = files;
  return {
    sessionId,
    // Found newest first.
    modifiedAtMs: files[0].modifiedAtMs,
    files: files.toSorted((a, b) => isAgent(a) - isAgent(b)),
    ...(project !== undefined && { project }),
  };
}
