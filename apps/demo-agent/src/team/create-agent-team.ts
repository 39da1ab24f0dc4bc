import { countOption, HistoryError, userMessage } from "@agent-history/core";
import type { EntrySources, HistoryEntry, HistoryStore } from "@agent-history/core";

import type { DocumentFolder } from "../documents/open-folder.ts";
import type { ChatModel } from "../model/chat-model.ts";
import { reactPlanner } from "../planners/react-planner.ts";
import { strategicDecomposerPlanner } from "../planners/strategic-decomposer-planner.ts";
import { strategicPlanner } from "../planners/strategic-planner.ts";
import { workerProfiles } from "../planners/worker-profile.ts";
import type { ModelCallRecord } from "../prompt/ask-model.ts";
import { contentText } from "../prompt/content-text.ts";
import { openThread } from "../prompt/thread.ts";
import { searchIndex } from "../search/search-index.ts";
import { folderTools } from "../tools/folder-tools.ts";
import { sourceNumbers } from "../tools/source-numbers.ts";
import { answerQuestion } from "./answer-question.ts";
import type { AgentAnswer } from "./answer-question.ts";
import { findBarred } from "./find-barred.ts";
import type { Planners } from "./turn.ts";

/** What {@link createAgentTeam} is made of. */
export interface AgentTeamOptions {
  readonly model: ChatModel;
  readonly folder: DocumentFolder;
  /** Keeps the thread. One that it holds already is gone on with. */
  readonly store: HistoryStore;
  readonly threadId: string;
  /** Who plans. Default: strategic, decomposer, ReAct. */
  readonly planners?: Partial<Planners>;
  /** How many moves a worker has before it must report. Default 6. */
  readonly maxWorkerSteps?: number;
  /** Where ids and times come from; hand in your own to make a run repeatable. */
  readonly sources?: EntrySources;
  /** Told of each entry, once it is kept. */
  readonly onEntry?: (entry: HistoryEntry) => void;
  /** Told of each call of the model, before it is made. */
  readonly onModelCall?: (record: ModelCallRecord) => void;
  readonly signal?: AbortSignal;
}

/** An orchestrator, its managers and their workers, with one thread. */
export interface AgentTeam {
  /**
   * Answers a question; one at a time. What was kept stays, whatever happens then.
   *
   * @throws `HistoryError` with code `ABORTED` when the signal fires, `MODEL_FAILED` where a planner gets no usable reply.
   */
  readonly ask: (question: string) => Promise<AgentAnswer>;
}

/**
 * Makes a team that answers questions about a folder of documents, over several turns.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where `maxWorkerSteps` is not a count, and what the store throws on reading.
 */
export async function createAgentTeam(options: AgentTeamOptions): Promise<AgentTeam> {
  const { model, store, threadId, folder, sources = {}, signal } = options;
  const { onEntry = ignore, onModelCall = ignore } = options;
  const maxWorkerSteps = countOption("maxWorkerSteps", options.maxWorkerSteps ?? 6);
  const cancellation = signal && { signal };
  const { thread, entries } = await openThread({ store, threadId, onEntry, ...cancellation });
  const { documents } = folder;
  const index = searchIndex(documents);
  const numbers = sourceNumbers(entries);
  const questions = entries.flatMap((entry) =>
    entry.type === "user_message" ? [contentText(entry.content)] : [],
  );
  const shared = {
    model,
    thread,
    numbers,
    sources,
    onModelCall,
    maxWorkerSteps,
    ...cancellation,
    planners: planners(options.planners),
    workers: workerProfiles(documents),
  };
  return {
    ask: async (question) => {
      questions.push(requireQuestion(question));
      const barred = findBarred(documents, questions);
      const tools = folderTools({ documents, index, numbers, barred });
      const message = userMessage({ content: question }, sources);
      const turn = { ...shared, question, turnId: message.id, tools };
      return answerQuestion({ ...message, turnId: message.id }, { documents, barred }, turn);
    },
  };
}

function planners(chosen: Partial<Planners> = {}): Planners {
  return {
    orchestrator: chosen.orchestrator ?? strategicPlanner(),
    manager: chosen.manager ?? strategicDecomposerPlanner(),
    worker: chosen.worker ?? reactPlanner(),
  };
}

function requireQuestion(question: string): string {
  if (question.trim() !== "") return question;
  throw new HistoryError("Expected a question, got none. Say what you want to know.", {
    code: "INVALID_OPTION",
    details: { option: "question" },
  });
}

function ignore(): void {}
