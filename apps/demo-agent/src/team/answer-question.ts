import type { HistoryQuery, Source } from "@agent-history/core";
import { isAnswerable } from "@agent-history/offline-model";
import type { Document, Shelf } from "@agent-history/offline-model";

import { decorateAnswer } from "../answer/decorate-answer.ts";
import { hideMarks } from "../answer/follow-up-questions.ts";
import { runOrchestrator } from "./run-orchestrator.ts";
import { stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { describeFailures } from "./worker-failure.ts";
import type { WorkerFailure } from "./worker-failure.ts";

const MAX_NAMES = 5;

/** What the user is shown. */
export interface AgentAnswer {
  readonly turnId: string;
  /** With its source list and the questions to ask next. */
  readonly text: string;
  /** The workers that could not continue: where there are any, the answer may lack what they would have found. */
  readonly failures: readonly WorkerFailure[];
}

/** Runs one turn from where it stands, once its question is kept, to the answer. */
export async function answerQuestion(
  shelf: Shelf,
  turn: Turn,
  failures: readonly WorkerFailure[],
): Promise<AgentAnswer> {
  const { turnId, history } = turn;
  const noteId = `${turnId}/folder`;
  if (!turn.kept.has(noteId)) {
    const content = describeShelf(shelf.documents, shelf.barred);
    await history.addGlobalObservation({ id: noteId, content }, stoppable(turn));
  }
  const written = await runOrchestrator(turn);
  const cited = await history.citedSources(written, stoppable(turn));
  const { text, metadata } = await decorateAnswer(written, {
    found: await foundInTurn(turn),
    findSource: (number) => cited.find((source) => source.number === number),
    canAnswer: (question) => !isSame(question, turn.question) && isAnswerable(question, shelf),
    notice: describeFailures(failures),
    signal: turn.signal,
  });
  const answer = { id: `${turnId}/answer`, content: text, metadata };
  await history.addAssistantMessage(answer, stoppable(turn));
  return { turnId, text: hideMarks(text), failures };
}

function describeShelf(documents: readonly Document[], barred: ReadonlySet<string>): string {
  const count = `The folder has ${documents.length} text files.`;
  if (barred.size === 0) return count;
  const names = [...barred].slice(0, MAX_NAMES).join(", ");
  const rest = barred.size > MAX_NAMES ? ` and ${barred.size - MAX_NAMES} more` : "";
  return `${count} These repeat what the user asked and are no evidence: ${names}${rest}.`;
}

/** In the order of the plan, so that it does not matter who was faster. */
async function foundInTurn(turn: Turn): Promise<readonly Source[]> {
  const query: HistoryQuery = {
    clauses: [{ types: ["observation"], turn: { id: turn.turnId } }],
    splitExchanges: true,
  };
  const { entries } = await turn.history.read(query, { originals: true, ...stoppable(turn) });
  return entries
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((entry) => (entry.type === "observation" ? (entry.sources ?? []) : []));
}

/** Returns whether two questions have the same words; quotation marks are none. */
function isSame(one: string, other: string): boolean {
  return one.replaceAll(/[“”]/g, "") === other.replaceAll(/[“”]/g, "");
}
