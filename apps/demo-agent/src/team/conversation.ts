import { CONVERSATION_TYPES, isHistoryError } from "@agent-history/core";
import type { EntrySources, UserMessageEntry } from "@agent-history/core";
import type { CallOptions, HistoryManager } from "@agent-history/history-manager";

import { contentText } from "../prompt/content-text.ts";

/** A question of the thread and whether it was answered. */
export interface AskedQuestion {
  readonly turnId: string;
  readonly question: string;
  readonly isAnswered: boolean;
}

/** Reads what was asked on a thread, oldest first. */
export async function readQuestions(
  history: HistoryManager,
  options: CallOptions = {},
): Promise<readonly AskedQuestion[]> {
  const query = { clauses: [{ types: CONVERSATION_TYPES }] };
  const { entries } = await history.read(query, { originals: true, ...options });
  const answered = new Set(
    entries.flatMap(({ type, turnId }) => (type === "assistant_message" ? [turnId] : [])),
  );
  return entries.flatMap((entry) =>
    entry.type === "user_message" && entry.turnId !== undefined
      ? [
          {
            turnId: entry.turnId,
            question: contentText(entry.content),
            isAnswered: answered.has(entry.turnId),
          },
        ]
      : [],
  );
}

/**
 * Begins a turn by keeping its question. Turns are numbered by their place in the thread; where another process takes the same number at the
 * same time, one of the two takes the next.
 */
export async function beginTurn(
  history: HistoryManager,
  question: string,
  { newId = () => crypto.randomUUID(), signal }: EntrySources & CallOptions,
): Promise<UserMessageEntry> {
  const cancellation = signal && { signal };
  // Tells this process's question from the same one of another.
  const metadata = { askedBy: newId() };
  const asked = await readQuestions(history, cancellation);
  for (let count = asked.length + 1; ; count++) {
    const id = `turn-${count}`;
    try {
      const message = { id, content: question, metadata };
      return (await history.beginTurn(id).addUserMessage(message, cancellation)).message;
    } catch (error) {
      if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
    }
  }
}
