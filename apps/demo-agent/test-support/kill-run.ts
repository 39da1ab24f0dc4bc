import type { HistoryStore } from "@agent-history/core";

import { finalState } from "./final-state.ts";
import { openWork } from "./open-work.ts";
import { runProgram } from "./run-program.ts";

/** What is killed, and how often. */
export interface KillRunOptions {
  /** Names the thread. */
  readonly threadId: string;
  /** Flags of the demo that say where and on what it works. */
  readonly flags: readonly string[];
  /** The same store, to look into. */
  readonly store: HistoryStore;
  /** After which line of output each process is killed, one after the other; a last one runs to its end. */
  readonly killAfter: readonly number[];
}

/** What became of the thread. */
export interface KillRun {
  readonly state: string;
  /** How many processes were killed before they came to their end. */
  readonly kills: number;
  /** What is open, missing or doubled; nothing of that, where all is well. */
  readonly problems: readonly string[];
}

/** Runs a session by processes that are killed in the midst of it, each going on where the one before was, until one comes to the end. */
export async function killRun(options: KillRunOptions): Promise<KillRun> {
  const { threadId, flags, store, killAfter } = options;
  const problems: string[] = [];
  let kills = 0;
  for (const limit of [...killAfter, Infinity]) {
    const { version } = await store.read(threadId);
    const args = ["--json", "--thread", threadId, ...flags, ...(version > 0 ? ["--resume"] : [])];
    const { exitCode, errors } = await runProgram(args, (lineCount) => lineCount >= limit);
    if (exitCode === undefined) kills += 1;
    else if (exitCode !== 0) problems.push(`exit code ${exitCode}: ${errors}`);
  }
  return {
    state: await finalState(store, threadId),
    kills,
    problems: [...problems, ...(await openWork(store, threadId))],
  };
}
