import type { ActionEntry, ToolAnswer, ToolCall, ToolHandler } from "@agent-history/core";
import type { HistoryManager, ToolCallResult } from "@agent-history/history-manager";
import type { ToolResult } from "@agent-history/offline-model";

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
  const lookingBack = new Map(lookBackTools(scoped, turn).map((tool) => [tool.name, tool]));
  const results = calls.map(async (call): Promise<ToolCallResult> => {
    const answer = await lookingBack.get(call.name)?.run(call.arguments, stoppable(turn));
    const result = answer === undefined ? turn.tools.call(call) : resultOf(answer);
    const answers = { callId: call.id, toolName: call.name, actionId: action.id };
    // A call id may come twice in one action: its place is what tells it apart.
    const id = `${action.id}/${action.toolCalls.indexOf(call) + 1}`;
    return { id, ...answers, ...result };
  });
  await scoped.addToolCallResults(await Promise.all(results), stoppable(turn));
}

/** The tools by which a worker reads what its window no longer shows. An answer takes at most a quarter of the window. */
export function lookBackTools(scoped: HistoryManager, { thread }: Turn): readonly ToolHandler[] {
  const { contextTokens } = thread.windows.worker;
  return scoped
    .recallTools({ maxTokens: Math.floor(contextTokens / 4) })
    .filter(({ name }) => name !== "history_expand");
}

/** Sources stand in the text already, under the numbers that they have. */
function resultOf({ outcome, content }: ToolAnswer): ToolResult {
  return outcome === "success" ? { outcome, content } : { outcome: "error", error: content };
}
