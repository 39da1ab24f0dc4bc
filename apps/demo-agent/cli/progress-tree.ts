import type { Agent, HistoryEntry } from "@agent-history/core";
import type { ModelEvent } from "@agent-history/offline-model";

import { describeEntry } from "./describe-entry.ts";

/** A piece of work as it is shown: a phase, or what a worker does in it. */
export interface ProgressNode {
  readonly name: string;
  /** Who does it, as far as that is known. */
  readonly agentId?: string;
  readonly state: "waiting" | "running" | "done" | "failed";
  /** What happens in it now, or came of it. */
  readonly detail: string;
  readonly children: readonly ProgressNode[];
}

/** Follows one turn: phases, their workers side by side, and what each of them is about. */
export interface ProgressTree {
  readonly entry: (entry: HistoryEntry) => void;
  /** An agent asks the model; `step` says for what. */
  readonly asks: (agent: Agent, step: string) => void;
  readonly event: (agent: Agent, event: ModelEvent) => void;
  readonly nodes: () => readonly ProgressNode[];
}

type Draft = {
  -readonly [Field in keyof ProgressNode]: Field extends "children" ? Draft[] : ProgressNode[Field];
} & { written: string };

/** How much of a reply is shown while it is written. */
const MAX_WRITTEN = 200;

/** Begins to follow a turn. */
export function progressTree(): ProgressTree {
  const turn = draft("orchestrator", { agentId: "orchestrator", state: "running" });
  const phases = new Map<string, Draft>();
  const tasks = new Map<string, Draft>();
  /** Where an agent stands; workers of one name work in one phase after another. */
  const desks = new Map<string, Draft>([["orchestrator", turn]]);
  const deskOf = ({ id }: Agent): Draft => desks.get(id) ?? turn;
  const give = (entry: Extract<HistoryEntry, { readonly type: "task" }>, what: string): void => {
    const { id, agent, phaseId, taskId = "" } = entry;
    const above = tasks.get(taskId) ?? turn;
    const known = agent.role === "manager" ? phases.get(String(phaseId)) : undefined;
    const node = known ?? draft(agent.id, { agentId: agent.id });
    Object.assign(node, { agentId: agent.id, state: "running", detail: what });
    if (known === undefined && !above.children.includes(node)) above.children.push(node);
    tasks.set(id, node);
    desks.set(agent.id, node);
  };
  return {
    entry: (entry) => {
      const what = describeEntry(entry)
        .map((line) => line.what.trim())
        .join(" · ");
      if (entry.type === "strategic_plan") {
        for (const [id, goal] of phasesOf(entry)) {
          const phase = draft(`phase ${id}`, { detail: goal });
          phases.set(id, phase);
          turn.children.push(phase);
        }
        turn.detail = what;
      } else if (entry.type === "task") give(entry, textOf(entry));
      else if (entry.type === "delegation") return;
      else if (entry.agent !== undefined) note(deskOf(entry.agent), entry.type, what);
      else if (entry.type === "assistant_message") turn.state = "done";
    },
    asks: (agent, step) => Object.assign(deskOf(agent), { detail: `asks: ${step}`, written: "" }),
    event: (agent, event) => write(deskOf(agent), event),
    nodes: () => [turn],
  };
}

function draft(name: string, fields: Partial<Draft>): Draft {
  return { name, state: "waiting", detail: "", children: [], written: "", ...fields };
}

function note(node: Draft, type: HistoryEntry["type"], what: string): void {
  if (what !== "") node.detail = what;
  if (type === "error") node.state = "failed";
  else if ((type === "final" || type === "synthesis") && node.state !== "failed")
    node.state = "done";
}

function write(node: Draft, event: ModelEvent): void {
  const written = event.type === "text" ? node.written + event.delta : "";
  node.written = written.slice(-MAX_WRITTEN);
  node.detail = event.type === "text" ? `writes: ${node.written}` : `tries again: ${event.reason}`;
}

function phasesOf(entry: HistoryEntry): readonly (readonly [id: string, goal: string])[] {
  const [, ...lines] = textOf(entry).split("\n");
  return lines.map((line) => {
    const end = Math.max(line.indexOf(": "), 0);
    return [line.slice(0, end), line.slice(end + 2)];
  });
}

function textOf(entry: HistoryEntry): string {
  return typeof entry.content === "string" ? entry.content : "";
}
