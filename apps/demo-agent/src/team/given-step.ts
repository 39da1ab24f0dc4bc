import { delegation, task } from "@agent-history/core";
import type { Agent, HistoryEntry, TaskEntry } from "@agent-history/core";
import * as z from "zod";

import type { Step } from "../planners/planner.ts";
import { contentText } from "../prompt/content-text.ts";
import type { Turn } from "./turn.ts";

/** A step and who takes it. */
export interface GivenStep {
  readonly step: Step;
  readonly agent: Agent;
}

const schema = z.object({
  worker: z.string(),
  calls: z.array(z.object({ tool: z.string(), arguments: z.string() })).exactOptional(),
});

/** Writes a step down as a delegation and a task; what no text of the task says stands in its metadata. */
export function entriesOf(
  { step, agent: to }: GivenStep,
  under: TaskEntry,
  { id, sources }: { readonly id: string } & Pick<Turn, "sources">,
): readonly HistoryEntry[] {
  const { agent: from, turnId, phaseId } = under;
  const { goal: content, worker, calls } = step;
  const fields = {
    content,
    taskId: under.id,
    ...(turnId !== undefined && { turnId }),
    ...(phaseId !== undefined && { phaseId }),
  };
  const metadata = { worker, ...(calls && { calls: calls.map((call) => ({ ...call })) }) };
  return [
    delegation({ ...fields, id: `${id}/delegation`, agent: from, to }, sources),
    task({ ...fields, id, agent: to, from, metadata }, sources),
  ];
}

/** Reads the step that a task was given for. */
export function stepOf({ content, metadata, agent }: TaskEntry): Step {
  const given = schema.safeParse(metadata).data ?? { worker: agent.id };
  return { goal: contentText(content), ...given };
}
