import { toToolSet } from "@agent-history/ai-sdk";
import type { ToolCall } from "@agent-history/core";
import { defaultHistoryFilter } from "@agent-history/filters";
import type { HistoryManager, ToolCallResult } from "@agent-history/history-manager";
import type { ToolSet } from "ai";

import { ask } from "./ask.ts";
import type { Team } from "./ask.ts";
import { RECALL, WORKER } from "./prompts.ts";
import { runTool } from "./tools.ts";

/** A worker that has not reported by then reports what it has. */
export const MAX_STEPS = 200;

/** Does one task: calls tools until the model has no more calls, and reports. Each call is stored before it runs. */
export async function runWorker(history: HistoryManager, team: Team): Promise<void> {
  const { taskId = "", phaseId } = history.scope;
  const report = `${taskId}/report`;
  if (team.written.has(report)) return;
  const isRecall = phaseId === "recall";
  const instructions = isRecall ? WORKER + RECALL : WORKER;
  const tools = isRecall ? { ...team.tools, ...(await recallTools(history)) } : team.tools;
  for (let step = 1; step <= MAX_STEPS; step++) {
    const id = `${taskId}/step ${step}`;
    let action = team.written.get(id);
    if (action === undefined) {
      const { text, toolCalls } = await ask(history, { instructions, tools }, team);
      if (toolCalls.length === 0)
        return void (await history.addFinal({ id: report, content: text }));
      action = await history.addToolCalls({
        id,
        ...(text !== "" && { content: text }),
        toolCalls: toolCalls.map(({ toolCallId, toolName, input }) => ({
          id: toolCallId,
          name: toolName,
          arguments: JSON.stringify(input),
        })),
      });
    }
    if (action.type !== "action" || team.written.has(`${id}/result 1`)) continue;
    const results = action.toolCalls.map((call, index) =>
      resultOf(call, { actionId: id, id: `${id}/result ${index + 1}` }, tools),
    );
    await history.addToolCallResults(await Promise.all(results));
  }
  throw new Error(`The worker of "${taskId}" did not report within ${MAX_STEPS} steps.`);
}

/** Runs one call. What it read becomes a numbered source of the thread, which answers cite. */
async function resultOf(
  call: ToolCall,
  ids: { readonly actionId: string; readonly id: string },
  tools: ToolSet,
): Promise<ToolCallResult> {
  const answered = { callId: call.id, toolName: call.name, ...ids };
  try {
    const found = await runTool(call, tools);
    return typeof found === "string"
      ? { ...answered, content: found }
      : { ...answered, sources: [{ id: found.path, uri: found.path, text: found.text }] };
  } catch (error) {
    return { ...answered, outcome: "error", error: String(error) };
  }
}

/** Tools that search and read the originals of the whole thread: what was dropped from the prompts is still in the store. */
async function recallTools(history: HistoryManager): Promise<ToolSet> {
  return toToolSet(history.recallTools({ filter: defaultHistoryFilter() }));
}
