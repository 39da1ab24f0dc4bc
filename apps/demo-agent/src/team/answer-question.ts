import type { HistoryQuery, Source } from "@agent-history/core";
import type { Document } from "@agent-history/offline-model";

import { decorateAnswer } from "../answer/decorate-answer.ts";
import { hideMarks } from "../answer/follow-up-questions.ts";
import { runOrchestrator } from "./run-orchestrator.ts";
import { stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";

const MAX_NAMES = 5;

/** What the user is shown. */
export interface AgentAnswer {
  readonly turnId: string;
  /** With its source list and the questions to ask next. */
  readonly text: string;
}

/** Runs one turn from where it stands, once its question is kept, to the answer. */
export async function answerQuestion(
  shelf: { readonly documents: readonly Document[]; readonly barred: ReadonlySet<string> },
  turn: Turn,
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
    signal: turn.signal,
  });
  const answer = { id: `${turnId}/answer`, content: text, metadata };
  await history.addAssistantMessage(answer, stoppable(turn));
  return { turnId, text: hideMarks(text) };
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
