import { assistantMessage, globalObservation } from "@agent-history/core";
import type { HistoryQuery, Source, UserMessageEntry } from "@agent-history/core";

import { decorateAnswer } from "../answer/decorate-answer.ts";
import { hideMarks } from "../answer/follow-up-questions.ts";
import type { Document } from "../documents/document.ts";
import { runOrchestrator } from "./run-orchestrator.ts";
import type { Turn } from "./turn.ts";

const MAX_NAMES = 5;

/** What the user is shown. */
export interface AgentAnswer {
  readonly turnId: string;
  /** With its source list and the questions to ask next. */
  readonly text: string;
}

/** Runs one turn, from the user's message to the answer. */
export async function answerQuestion(
  message: UserMessageEntry,
  shelf: { readonly documents: readonly Document[]; readonly barred: ReadonlySet<string> },
  turn: Turn,
): Promise<AgentAnswer> {
  const { turnId, thread, numbers, sources, signal } = turn;
  const content = describeShelf(shelf.documents, shelf.barred);
  await thread.append(message, globalObservation({ content, turnId }, sources));
  const written = await runOrchestrator(turn);
  const found = await foundInTurn(turn);
  const { text, metadata } = await decorateAnswer(written, {
    found,
    findSource: numbers.find,
    signal,
  });
  await thread.append(assistantMessage({ content: text, metadata, turnId }, sources));
  return { turnId, text: hideMarks(text) };
}

function describeShelf(documents: readonly Document[], barred: ReadonlySet<string>): string {
  const count = `The folder has ${documents.length} text files.`;
  if (barred.size === 0) return count;
  const names = [...barred].slice(0, MAX_NAMES).join(", ");
  const rest = barred.size > MAX_NAMES ? ` and ${barred.size - MAX_NAMES} more` : "";
  return `${count} These repeat what the user asked and are no evidence: ${names}${rest}.`;
}

async function foundInTurn({ thread, turnId, signal }: Turn): Promise<readonly Source[]> {
  const query: HistoryQuery = {
    clauses: [{ types: ["observation"], turn: { id: turnId } }],
    splitExchanges: true,
  };
  const entries = await thread.read(query, signal);
  return entries.flatMap((entry) => (entry.type === "observation" ? (entry.sources ?? []) : []));
}
