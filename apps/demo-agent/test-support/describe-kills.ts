import { sqliteStore } from "@agent-history/store-sqlite";

import { killRun } from "./kill-run.ts";
import type { KillRun } from "./kill-run.ts";
import { runProgram } from "./run-program.ts";

/** One session that was killed, and all that is wrong with it. */
export interface KilledSession {
  readonly name: string;
  readonly run: KillRun;
  readonly problems: readonly string[];
}

/** At most so often a session is killed. */
const MAX_KILLS = 4;

/**
 * Kills sessions at random moments and compares each with one that was left alone. Every second works with all workers at once: there the
 * order differs by nature, so that it must be whole and no more.
 */
export async function* describeKills(options: {
  readonly folder: string;
  readonly path: string;
  readonly runs: number;
}): AsyncGenerator<KilledSession> {
  const { folder, path, runs } = options;
  const flags = ["--dir", folder, "--store", `sqlite:${path}`];
  const inTurn = [...flags, "--at-once", "1"];
  const { lines } = await runProgram(["--json", "--thread", "whole", ...inTurn]);
  const store = sqliteStore({ path });
  const whole = await killRun({ threadId: "whole", flags: inTurn, store, killAfter: [] });
  for (let index = 0; index < runs; index++) {
    const isInTurn = index % 2 === 0;
    const killAfter = randomLines(lines.length);
    const threadId = `killed-${index}`;
    const run = await killRun({ threadId, flags: isInTurn ? inTurn : flags, store, killAfter });
    const differs = isInTurn && run.state !== whole.state ? ["another state"] : [];
    const how = isInTurn ? "one worker at a time" : "all workers at once";
    yield {
      name: `${threadId}, ${how}, killed after line ${killAfter.join(", ")} of a process`,
      run,
      problems: [...whole.problems, ...run.problems, ...differs],
    };
  }
  await store.close();
}

function randomLines(lineCount: number): readonly number[] {
  const count = 1 + Math.floor(Math.random() * MAX_KILLS);
  return Array.from({ length: count }, () => 1 + Math.floor((Math.random() * lineCount) / count));
}
