import { agentView, groupExchanges, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, TaskEntry } from "@agent-history/core";
import { completionDetector, findLoop } from "@agent-history/filters/completion";
import type { HistoryManager } from "@agent-history/history-manager";
import { WORK_FAILED } from "@agent-history/offline-model";

import type { Assignment } from "../planners/assignment.ts";
import type { ScriptedCall } from "../planners/planner.ts";
import { contentText } from "../prompt/content-text.ts";
import { countTokens } from "../prompt/count-tokens.ts";
import { answerCalls, lookBackTools, makeCalls } from "./make-calls.ts";
import { readWork } from "./read-work.ts";
import { runScript } from "./run-script.ts";
import { assign, stoppable } from "./turn.ts";
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

const FAILED = "The work could not continue: ";
/** Structured signals only: the documents that workers quote are full of "done" and "completed". */
const detector = completionDetector({ phrases: [] });

/**
 * Runs one worker until the log says that it is done, and gives its report; what an earlier process did for the task is continued. Where
 * its moves are used up, or it makes the same call for the third time with the same result, it is asked once more, without tools. What
 * fails in it stops nobody else.
 */
export async function runWorker(job: WorkerJob, turn: Turn): Promise<string> {
  const scoped = turn.history.forTask(job.task);
  const kept = await readWork(scoped, turn);
  if (kept.some(({ type }) => type === "error")) return reportFailure(kept, scoped, turn);
  try {
    await makeOpenCalls(kept, scoped, turn);
    return await workUntilDone(job, scoped, turn);
  } catch (error) {
    if (isHistoryError(error, "ABORTED") || turn.signal?.aborted === true) throw error;
    const content = `${FAILED}${error instanceof Error ? error.message : "unknown"}`;
    const id = `${job.task.id}/error`;
    const failed = await scoped.addError({ id, content }, stoppable(turn));
    return reportFailure([failed], scoped, turn);
  }
}

/** Makes the calls that an earlier process wrote down and had no time to make. */
async function makeOpenCalls(
  kept: readonly HistoryEntry[],
  scoped: HistoryManager,
  turn: Turn,
): Promise<void> {
  for (const group of groupExchanges(kept)) {
    if (group.kind !== "exchange" || group.unanswered.length === 0) continue;
    await answerCalls(scoped, group.action, group.unanswered, turn);
  }
}

async function workUntilDone(job: WorkerJob, scoped: HistoryManager, turn: Turn): Promise<string> {
  const { task, calls } = job;
  const context = { role: task.agent.role, agentId: task.agent.id, taskId: task.id };
  for (;;) {
    const work = await readWork(scoped, turn);
    const done = detector.detect(work, { ...context, turnId: turn.turnId });
    if (done !== undefined) return textOf(work, done.entryId ?? "");
    if (calls !== undefined) return report(await runScript(scoped, calls, turn), scoped, turn);
    const assignment = assignmentOf(job, { scoped, work }, turn);
    const moves = work.filter(({ type }) => type === "action").length;
    const isLast = moves >= turn.maxWorkerSteps || findLoop(work, context) !== undefined;
    await turn.thread.compress(agentView(task.agent.id));
    const id = `${task.id}/${moves + 1}`;
    await makeMove(id, isLast ? { ...assignment, tools: [] } : assignment, scoped, turn);
  }
}

async function makeMove(
  id: string,
  assignment: Assignment,
  scoped: HistoryManager,
  turn: Turn,
): Promise<void> {
  const move = await turn.planners.worker.plan(assignment);
  if (move.kind === "finish") await report(move.report, scoped, turn);
  else if (assignment.tools.length > 0) await makeCalls(scoped, { id, ...move }, turn);
  else await report("Nothing found within the moves allowed.", scoped, turn);
}

async function reportFailure(
  kept: readonly HistoryEntry[],
  scoped: HistoryManager,
  turn: Turn,
): Promise<string> {
  const error = kept.find(({ type }) => type === "error");
  const reason = contentText(error?.content).replace(FAILED, "");
  turn.onFailure({ agentId: scoped.scope.agent?.id ?? "", reason });
  const said = kept.find(({ type }) => type === "final");
  if (said !== undefined) return contentText(said.content);
  return report(WORK_FAILED, scoped, turn);
}

async function report(content: string, scoped: HistoryManager, turn: Turn): Promise<string> {
  const id = `${scoped.scope.taskId ?? ""}/report`;
  await scoped.addFinal({ id, content }, stoppable(turn));
  return content;
}

function assignmentOf(
  { task, goal, worker }: WorkerJob,
  { scoped, work }: { readonly scoped: HistoryManager; readonly work: readonly HistoryEntry[] },
  turn: Turn,
): Assignment {
  const assignment = assign(task.agent, goal, scoped, turn);
  return {
    ...assignment,
    tools: [...assignment.tools, ...hiddenWorkTools(scoped, work, turn)],
    // A worker is told what it reads, and of no other.
    workers: turn.workers.filter(({ key }) => key === worker),
  };
}

/** What its window does not show of its work, a worker can look up. Nothing where all of it is shown: tools take room too. */
function hiddenWorkTools(
  scoped: HistoryManager,
  work: readonly HistoryEntry[],
  turn: Turn,
): Assignment["tools"] {
  const { contextTokens, outputReserveTokens = 0 } = turn.thread.windows.worker;
  if (countTokens(work) <= contextTokens - outputReserveTokens) return [];
  return lookBackTools(scoped, turn).map(({ run: _, ...definition }) => definition);
}

function textOf(entries: readonly HistoryEntry[], id: string): string {
  return contentText(entries.find((each) => each.id === id)?.content);
}
