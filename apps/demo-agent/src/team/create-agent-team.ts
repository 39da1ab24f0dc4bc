import { countOption, HistoryError } from "@agent-history/core";
import { findBarred, folderTools, searchIndex } from "@agent-history/offline-model";

import type { ExpansionRecord } from "../history/expand-summaries.ts";
import { expandSummaries } from "../history/expand-summaries.ts";
import { DEFAULT_WINDOWS } from "../history/role-windows.ts";
import { openHistory } from "../open-history.ts";
import type { ThreadHistory } from "../open-history.ts";
import { reactPlanner } from "../planners/react-planner.ts";
import { strategicDecomposerPlanner } from "../planners/strategic-decomposer-planner.ts";
import { strategicPlanner } from "../planners/strategic-planner.ts";
import { workerProfiles } from "../planners/worker-profile.ts";
import { stablePrefix } from "../prompt/stable-prefix.ts";
import type { AgentTeamOptions } from "./agent-team-options.ts";
import { answerQuestion } from "./answer-question.ts";
import type { AgentAnswer } from "./answer-question.ts";
import { beginTurn, readQuestions } from "./conversation.ts";
import type { AskedQuestion } from "./conversation.ts";
import { stoppable } from "./turn.ts";
import type { Planners, TeamDesk } from "./turn.ts";
import type { WorkerFailure } from "./worker-failure.ts";

/** An orchestrator, its managers and their workers, with one thread. */
export interface AgentTeam {
  /**
   * Answers a question; one at a time. What was kept stays, whatever happens then.
   *
   * @throws `HistoryError` with code `ABORTED` when the signal fires, `MODEL_FAILED` where a planner gets no usable reply.
   */
  readonly ask: (question: string) => Promise<AgentAnswer>;
  /** The questions of the thread, oldest first, and whether each was answered. */
  readonly questions: () => Promise<readonly AskedQuestion[]>;
  /**
   * Continues a turn that was begun and not answered, from where it stands: nothing that was finished is done again. Only one process
   * may work on a turn.
   *
   * @throws as `ask`, and `NOT_FOUND` where no question of this turn is open.
   */
  readonly resume: (turnId: string) => Promise<AgentAnswer>;
  /** Undoes all summaries of the thread and says whether the originals are there, to the byte. */
  readonly expand: () => Promise<ExpansionRecord>;
}

/**
 * Makes a team that answers questions about a folder of documents, over several turns.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a number is not a non-negative integer or `Infinity`, and what the store throws on reading.
 */
export async function createAgentTeam(options: AgentTeamOptions): Promise<AgentTeam> {
  const { documents } = options.folder;
  const index = searchIndex(documents);
  const desk = await openDesk(options);
  const { manager, compress } = desk.thread;
  const sources = { ...desk.sources, ...stoppable(desk) };

  const answer = async ({ turnId, question }: AskedQuestion): Promise<AgentAnswer> => {
    const asked = await readQuestions(manager, stoppable(desk));
    const until = asked.slice(0, asked.findIndex((each) => each.turnId === turnId) + 1);
    const barred = findBarred(
      documents,
      until.map((each) => each.question),
    );
    const history = manager.beginTurn(turnId);
    const read = await history.read(
      { clauses: [{ turn: { id: turnId } }], splitExchanges: true },
      { originals: true, ...stoppable(desk) },
    );
    const kept = new Map(read.entries.map((entry) => [entry.id, entry]));
    const shelf = { documents, index, barred };
    const failures: WorkerFailure[] = [];
    const onFailure = (failure: WorkerFailure): void => void failures.push(failure);
    const tools = folderTools(shelf);
    const turn = { ...desk, turnId, question, history, tools, onFailure, kept };
    return answerQuestion(shelf, turn, failures);
  };

  return {
    ask: async (question) => {
      requireQuestion(question);
      await compress("conversation");
      const { id: turnId } = await beginTurn(manager, question, sources);
      return answer({ turnId, question, isAnswered: false });
    },
    questions: async () => readQuestions(manager, stoppable(desk)),
    resume: async (turnId) => {
      const asked = await readQuestions(manager, stoppable(desk));
      const open = asked.find((each) => each.turnId === turnId && !each.isAnswered);
      if (open === undefined) throw notOpen(turnId);
      return answer(open);
    },
    expand: async () => expandSummaries(manager, stoppable(desk)),
  };
}

/** Puts together what all turns share. */
async function openDesk(options: AgentTeamOptions): Promise<TeamDesk> {
  const { model, folder, store, threadId, sources = {}, signal, summaryModel } = options;
  const { onEntry = ignore, onModelCall = ignore, onCompression = ignore } = options;
  const { onModelEvent = ignore } = options;
  const maxWorkerSteps = countOption("maxWorkerSteps", options.maxWorkerSteps ?? 6);
  const workersAtOnce = countOption("workersAtOnce", options.workersAtOnce ?? Infinity);
  if (workersAtOnce === 0) throw noWorkers();
  const cancellation = signal && { signal };
  const thread: ThreadHistory = await openHistory({
    ...sources,
    store,
    threadId,
    windows: options.windows ?? DEFAULT_WINDOWS,
    compressAbove: options.compressAbove ?? 0.5,
    onEntry,
    onCompression,
    ...(summaryModel && { summaryModel }),
    ...cancellation,
  });
  return {
    model,
    thread,
    threadTokens: thread.tokens,
    hasCleaned: thread.hasCleaned,
    prefix: stablePrefix(),
    sources,
    onModelCall,
    onModelEvent,
    ...(options.onPlan && { onPlan: options.onPlan }),
    maxWorkerSteps,
    workersAtOnce,
    ...cancellation,
    planners: planners(options.planners),
    workers: workerProfiles(folder.documents),
  };
}

function planners(chosen: Partial<Planners> = {}): Planners {
  return {
    orchestrator: chosen.orchestrator ?? strategicPlanner(),
    manager: chosen.manager ?? strategicDecomposerPlanner(),
    worker: chosen.worker ?? reactPlanner(),
  };
}

function requireQuestion(question: string): void {
  if (question.trim() !== "") return;
  throw new HistoryError("Expected a question, got none. Say what you want to know.", {
    code: "INVALID_OPTION",
    details: { option: "question" },
  });
}

function notOpen(turnId: string): HistoryError {
  return new HistoryError(
    "Expected an unanswered question of this turn, found none. Ask for `questions()` first.",
    { code: "NOT_FOUND", details: { turnId } },
  );
}

function noWorkers(): HistoryError {
  return new HistoryError("Expected `workersAtOnce` to be 1 or more. Leave it out for no limit.", {
    code: "INVALID_OPTION",
    details: { option: "workersAtOnce" },
  });
}

function ignore(): void {}
