import type { ActionEntry, ToolCall } from "@agent-history/core";
import type { HistoryManager, ToolCallResult } from "@agent-history/history-manager";

import { stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** Makes the calls of one move: the action first, then the results, so that what was called is known also where a tool never ends. */
export async function makeCalls(
  scoped: HistoryManager,
  move: { readonly id: string; readonly text?: string; readonly toolCalls: readonly ToolCall[] },
  turn: Turn,
): Promise<void> {
  const { id, text = "", toolCalls } = move;
  const content = text === "" ? {} : { content: text };
  const called = await scoped.addToolCalls({ id, ...content, toolCalls }, stoppable(turn));
  await answerCalls(scoped, called, called.toolCalls, turn);
}

/** Makes calls of an action that are still to be made, and keeps their results in one write. */
export async function answerCalls(
  scoped: HistoryManager,
  action: ActionEntry,
  calls: readonly ToolCall[],
  turn: Turn,
): Promise<void> {
  const results = calls.map((call): ToolCallResult => {
    const result = turn.tools.call(call);
    const answers = { callId: call.id, toolName: call.name, actionId: action.id };
    // A call id may come twice in one action: its place is what tells it apart.
    const id = `${action.id}/${action.toolCalls.indexOf(call) + 1}`;
    return { id, ...answers, ...result };
  });
  await scoped.addToolCallResults(results, stoppable(turn));
}
