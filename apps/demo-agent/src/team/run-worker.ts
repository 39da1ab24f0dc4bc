import { errorEntry, final, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryQuery, TaskEntry } from "@agent-history/core";
import { completionDetector, findLoop } from "@agent-history/filters/completion";

import type { Assignment } from "../planners/assignment.ts";
import type { ScriptedCall } from "../planners/planner.ts";
import { contentText } from "../prompt/content-text.ts";
import { makeCalls } from "./make-calls.ts";
import { runScript } from "./run-script.ts";
import { assign, fieldsUnder } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** What a worker is to do. */
export interface WorkerJob {
  readonly task: TaskEntry;
  readonly goal: string;
  /** The key of its profile. */
  readonly worker: string;
  /** The very calls to make, where the manager wrote them down. */
  readonly calls?: readonly ScriptedCall[];
}

/** Structured signals only: the documents that workers quote are full of "done" and "completed". */
const detector = completionDetector({ phrases: [] });

/**
 * Runs one worker until the log says that it is done, and gives its report. Where its moves are used up, or it makes the same call for
 * the third time with the same result, it is asked once more, without tools. What fails in it stops nobody else.
 */
export async function runWorker(job: WorkerJob, turn: Turn): Promise<string> {
  const { task, calls } = job;
  try {
    if (calls !== undefined) await runScript(task, calls, turn);
    return await workUntilDone(job, turn);
  } catch (error) {
    if (isHistoryError(error, "ABORTED") || turn.signal?.aborted === true) throw error;
    const content = `The work could not go on: ${error instanceof Error ? error.message : "unknown"}`;
    await turn.thread.append(errorEntry({ ...fieldsUnder(task, turn), content }, turn.sources));
    return report(task, "Nothing found: the work could not go on.", turn);
  }
}

async function workUntilDone(job: WorkerJob, turn: Turn): Promise<string> {
  const assignment = assignmentOf(job, turn);
  const { context } = assignment;
  for (let move = 0; ; move++) {
    const work = await turn.thread.read(ownWork(job.task, turn), turn.signal);
    const done = detector.detect(work, context);
    if (done !== undefined) return textOf(work, done.entryId);
    const isLast = move >= turn.maxWorkerSteps || findLoop(work, context) !== undefined;
    await makeMove(job.task, isLast ? { ...assignment, tools: [] } : assignment, turn);
  }
}

async function makeMove(task: TaskEntry, assignment: Assignment, turn: Turn): Promise<void> {
  const move = await turn.planners.worker.plan(assignment);
  if (move.kind === "finish") await report(task, move.report, turn);
  else if (assignment.tools.length > 0) await makeCalls(task, move, turn);
  else await report(task, "Nothing found within the moves allowed.", turn);
}

async function report(task: TaskEntry, content: string, turn: Turn): Promise<string> {
  await turn.thread.append(final({ ...fieldsUnder(task, turn), content }, turn.sources));
  return content;
}

function assignmentOf({ task, goal, worker }: WorkerJob, turn: Turn): Assignment {
  const { phaseId } = task;
  const place = { taskId: task.id, ...(phaseId === undefined ? {} : { phaseId }) };
  const assignment = assign(task.agent, goal, place, turn);
  // A worker is told what it reads, and of no other.
  return { ...assignment, workers: turn.workers.filter(({ key }) => key === worker) };
}

function ownWork(task: TaskEntry, { turnId }: Turn): HistoryQuery {
  return { clauses: [{ turn: { id: turnId }, agent: task.agent.id, task: task.id }] };
}

function textOf(entries: readonly HistoryEntry[], id: string): string {
  const entry = entries.find((each) => each.id === id);
  return contentText(entry?.content);
}
