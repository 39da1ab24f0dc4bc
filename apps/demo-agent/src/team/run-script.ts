import { renderSources } from "@agent-history/core";
import type { HistoryEntry, Source } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import type { ScriptedCall } from "../planners/planner.ts";
import { makeCalls } from "./make-calls.ts";
import { readWork } from "./read-work.ts";
import type { Turn } from "./turn.ts";

/** Runs the calls that a manager wrote down, one after the other, but for those that an earlier process made. Returns what the tools found; no model is asked. */
export async function runScript(
  scoped: HistoryManager,
  calls: readonly ScriptedCall[],
  turn: Turn,
): Promise<string> {
  const made = (await readWork(scoped, turn)).filter(({ type }) => type === "action").length;
  for (const [index, { tool, arguments: text }] of calls.entries()) {
    if (index < made) continue;
    const id = `${scoped.scope.taskId ?? ""}/${index + 1}`;
    const toolCalls = [{ id: `script-${index + 1}`, name: tool, arguments: text }];
    await makeCalls(scoped, { id, toolCalls }, turn);
  }
  const found = sourcesOf(await readWork(scoped, turn));
  return found.length === 0 ? "Nothing found." : renderSources(found);
}

function sourcesOf(entries: readonly HistoryEntry[]): readonly Source[] {
  const found = entries.flatMap((entry) =>
    entry.type === "observation" ? (entry.sources ?? []) : [],
  );
  return [...new Map(found.map((source) => [source.number, source])).values()];
}
