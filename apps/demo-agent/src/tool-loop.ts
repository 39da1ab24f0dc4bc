import type { ToolCall } from "@agent-history/core";
import type { HistoryManager, ToolCallResult } from "@agent-history/history-manager";
import { asSchema } from "ai";
import type { ToolSet } from "ai";
import * as z from "zod";

import { ask } from "./ask.ts";
import type { Question, Team } from "./ask.ts";

/** A file that a tool has read: evidence that an answer can cite. */
export type ReadFile = z.infer<typeof readFile>;

const readFile = z.object({ path: z.string(), text: z.string() });

/** An agent that has not reported by then is stopped. */
export const MAX_STEPS = 200;

/** Does one task: calls tools until the model has no more calls, and reports. Each call is stored before it runs. */
export async function runTask(
  history: HistoryManager,
  { instructions, tools = {} }: Question,
  team: Team,
): Promise<void> {
  const { taskId = "" } = history.scope;
  const report = `${taskId}/report`;
  if (team.written.has(report)) return;
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
  throw new Error(`The agent of "${taskId}" did not report within ${MAX_STEPS} steps.`);
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

/** Runs one call of a model: text, or a file that was read. Throws what the model should be told. */
export async function runTool(
  call: { readonly id: string; readonly name: string; readonly arguments: string },
  tools: ToolSet,
): Promise<string | ReadFile> {
  const called = tools[call.name];
  if (called?.execute === undefined) throw new Error(`There is no tool ${call.name}.`);
  const input: unknown = JSON.parse(call.arguments);
  const checked = await asSchema(called.inputSchema).validate?.(input);
  if (checked?.success === false) throw checked.error;
  const options = { toolCallId: call.id, messages: [], context: {} };
  const found: unknown = await called.execute(checked?.value ?? input, options);
  return typeof found === "string" ? found : readFile.parse(found);
}
