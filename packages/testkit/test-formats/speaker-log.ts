import { final, strategicPlan, task, userMessage } from "@agent-history/core";
import type { Agent, EntrySources, HistoryEntry, JsonObject } from "@agent-history/core";

const LABEL = /^(?<speaker>.+?) \((?:-> (?<to>.+)|(?<aside>thought|termination condition))\)$/u;

/**
 * Turns the log of an orchestrator and its specialists into entries; who speaks stands in the role, as Magentic-One
 * writes it: `Orchestrator (thought)`, `Orchestrator (-> WebSurfer)`, `WebSurfer`, `human`.
 */
export function speakerLogToEntries(
  messages: readonly { readonly role: string; readonly content: string }[],
  sources: EntrySources = {},
): readonly HistoryEntry[] {
  const taskOf = new Map<string, string>();
  return messages.map(({ role, content }) => {
    if (role === "human") return userMessage({ content }, sources);
    const { speaker, to, aside } = LABEL.exec(role)?.groups ?? {};
    if (speaker === undefined) {
      const taskId = taskOf.get(role);
      const agent: Agent = { id: role, role: "worker" };
      return final({ content, agent, ...(taskId !== undefined && { taskId }) }, sources);
    }
    const from: Agent = { id: speaker, role: "orchestrator" };
    if (to !== undefined) {
      const given = task({ content, agent: { id: to, role: "worker" }, from }, sources);
      taskOf.set(to, given.id);
      return given;
    }
    return aside === "thought"
      ? strategicPlan({ content, agent: from }, sources)
      : final({ content, agent: from }, sources);
  });
}

/** Turns such entries back into the log. */
export function entriesToSpeakerLog(entries: readonly HistoryEntry[]): readonly JsonObject[] {
  return entries.map((entry) => ({ role: labelOf(entry), content: textOf(entry) }));
}

function labelOf(entry: HistoryEntry): string {
  const id = entry.agent?.id ?? "";
  switch (entry.type) {
    case "task":
      return `${entry.from?.id} (-> ${id})`;
    case "strategic_plan":
      return `${id} (thought)`;
    case "final":
      return entry.agent?.role === "orchestrator" ? `${id} (termination condition)` : id;
    default:
      return "human";
  }
}

function textOf(entry: HistoryEntry): string {
  return typeof entry.content === "string" ? entry.content : "";
}
