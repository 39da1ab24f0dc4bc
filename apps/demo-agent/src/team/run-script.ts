import { final, renderSources } from "@agent-history/core";
import type { HistoryQuery, Source, TaskEntry } from "@agent-history/core";

import type { ScriptedCall } from "../planners/planner.ts";
import { makeCalls } from "./make-calls.ts";
import { fieldsUnder } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** Runs the calls that a manager wrote down, one after the other. The report is what the tools gave; no model is asked. */
export async function runScript(
  task: TaskEntry,
  calls: readonly ScriptedCall[],
  turn: Turn,
): Promise<void> {
  for (const [index, { tool, arguments: text }] of calls.entries()) {
    const toolCalls = [{ id: `script-${index + 1}`, name: tool, arguments: text }];
    await makeCalls(task, { toolCalls }, turn);
  }
  const found = await foundUnder(task, turn);
  const content = found.length === 0 ? "Nothing found." : renderSources(found);
  await turn.thread.append(final({ ...fieldsUnder(task, turn), content }, turn.sources));
}

async function foundUnder(task: TaskEntry, turn: Turn): Promise<readonly Source[]> {
  const query: HistoryQuery = {
    clauses: [{ types: ["observation"], agent: task.agent.id, task: task.id }],
    splitExchanges: true,
  };
  const entries = await turn.thread.read(query, turn.signal);
  const found = entries.flatMap((entry) =>
    entry.type === "observation" ? (entry.sources ?? []) : [],
  );
  return [...new Map(found.map((source) => [source.number, source])).values()];
}
