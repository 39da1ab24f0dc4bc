import type { Agent } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import { ask, once, plan } from "./ask.ts";
import type { Team } from "./ask.ts";
import { askNext, textOf, withoutSuggestion } from "./history.ts";
import { runManager } from "./manager.ts";
import { ORCHESTRATOR, PHASES } from "./prompts.ts";
import type { SessionQuestion } from "./session.ts";

/** Answers one question: plans phases, has each done by a manager, and answers from their results. */
export async function answer(
  { turnId, content, suggest }: SessionQuestion,
  thread: HistoryManager,
  team: Team,
): Promise<string> {
  const turn = thread.beginTurn(turnId);
  await once(team, `${turnId}/question`, "user_message", async () => {
    const { message } = await turn.addUserMessage({ id: `${turnId}/question`, content });
    return message;
  });
  // Earlier turns become a summary.
  const compressed = await turn.compress({ view: "conversation" });
  if (compressed.outcome === "compressed") team.onSummary?.(compressed.compaction);
  const lead = turn.withScope({ agent: { id: "lead", role: "orchestrator" } });
  const goals = { instructions: ORCHESTRATOR, schema: PHASES };
  const { phases } = await plan(lead, `${turnId}/plan`, goals, team);
  for (const { id, goal } of phases) {
    const taskId = `${turnId}/${id}`;
    const manager: Agent = { id: `manager of ${taskId}`, role: "manager" };
    const task = await once(team, taskId, "task", () =>
      lead.beginPhase(id).delegate({ id: taskId, content: goal, agent: manager }),
    );
    await runManager(turn.forTask(task), team);
  }
  const answered = await once(team, `${turnId}/answer`, "assistant_message", async () => {
    const { text } = await ask(lead, { instructions: ORCHESTRATOR }, team);
    const shown = await askNext(suggest(text)).apply(text);
    return turn.addAssistantMessage({ id: `${turnId}/answer`, content: shown });
  });
  return withoutSuggestion(textOf(answered.content));
}
