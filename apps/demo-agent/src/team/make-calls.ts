import { action, observation } from "@agent-history/core";
import type { TaskEntry, ToolCall } from "@agent-history/core";

import { fieldsUnder } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** Makes the calls of one move: the action first, then each result, so that what was called is known also where a tool never ends. */
export async function makeCalls(
  task: TaskEntry,
  move: { readonly text?: string; readonly toolCalls: readonly ToolCall[] },
  turn: Turn,
): Promise<void> {
  const { text = "", toolCalls } = move;
  const { thread, sources, tools } = turn;
  const fields = fieldsUnder(task, turn);
  const content = text === "" ? {} : { content: text };
  const called = action({ ...fields, ...content, toolCalls }, sources);
  await thread.append(called);
  for (const call of toolCalls) {
    const result = tools.call(call);
    const answers = { callId: call.id, toolName: call.name, actionId: called.id };
    await thread.append(observation({ ...fields, ...answers, ...result }, sources));
  }
}
