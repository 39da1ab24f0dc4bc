import type { Agent, ToolCall } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { functionCleaner, historyCleaner } from "@agent-history/postprocess";

import type { HistoryManager } from "../src/index.ts";
import type { LoopStep } from "./loop-step.ts";

const CLEANER = historyCleaner({
  cleaners: [
    functionCleaner({ name: "chart", removeFromText: (text) => text.replaceAll("📈", "") }),
  ],
});

/** What the loop itself remembers: what it will answer, and under which ids. */
export interface LoopMemory {
  /** Of the step that is being done: a second try has the same. */
  step: number;
  turns: number;
  readonly tasks: Map<number, string>;
  open: readonly {
    readonly actionId: string;
    readonly call: ToolCall;
    readonly worker: number | undefined;
  }[];
  summaries: readonly string[];
}

export function loopMemory(): LoopMemory {
  return { step: 0, turns: 0, tasks: new Map(), open: [], summaries: [] };
}

/** Does one step and gives what it gave; the code of the error where the history says no. */
export async function runStep(
  manager: HistoryManager,
  step: LoopStep,
  memory: LoopMemory,
): Promise<unknown> {
  try {
    return await doStep(manager.withScope({ turnId: `turn-${memory.turns}` }), step, memory);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "NOT_FOUND"))
      return error.code;
    throw error;
  }
}

async function doStep(
  history: HistoryManager,
  step: LoopStep,
  memory: LoopMemory,
): Promise<unknown> {
  const id = `step-${memory.step}`;
  switch (step.kind) {
    case "user":
      return doUser(history, step, memory);
    case "answer":
      return history.addAssistantMessage({
        id,
        content: `So it is ${step.cites.map((number) => `[source${number}]`).join("")} 📈`,
      });
    case "call":
      return doCall(history, step, memory);
    case "results":
      return doResults(history, step, memory);
    case "task": {
      const task = await history.delegate({
        id,
        content: "Look it up.",
        agent: workerOf(step.worker),
      });
      memory.tasks.set(step.worker, task.id);
      return task;
    }
    case "note":
      return doNote(at(history, step.worker, memory), step.what, id);
    case "observe":
      return history.addGlobalObservation({
        id,
        content: "Seen.",
        sources: step.sources.map(sourceOf),
      });
    case "ask":
      return ask(at(history, step.worker, memory), step);
    case "compress": {
      const made = await history.compress({ view: step.view });
      if (made.outcome === "compressed")
        memory.summaries = [...memory.summaries, made.compaction.summary.id];
      return made;
    }
    case "expand": {
      const last = memory.summaries.at(-1);
      if (last === undefined) return undefined;
      await history.expand(last);
      memory.summaries = memory.summaries.slice(0, -1);
      return last;
    }
  }
}

async function doUser(
  history: HistoryManager,
  { content, rendered, files }: Extract<LoopStep, { readonly kind: "user" }>,
  memory: LoopMemory,
): Promise<unknown> {
  const attachments = Array.from({ length: files }, (_, index) => ({
    name: `${index}.txt`,
    content: "file ".repeat(60),
  }));
  const added = await history.addUserMessage({
    id: `step-${memory.step}`,
    turnId: `turn-${memory.turns + 1}`,
    content,
    ...(rendered && { rendered: `<user>${content}</user>` }),
    attachments,
  });
  memory.turns += 1;
  return added;
}

async function doCall(
  history: HistoryManager,
  { worker, calls }: Extract<LoopStep, { readonly kind: "call" }>,
  memory: LoopMemory,
): Promise<unknown> {
  // Providers use an id again.
  const toolCalls = Array.from({ length: calls }, (_, index) => ({
    id: `call-${index}`,
    name: "look",
    arguments: "{}",
  }));
  const action = await at(history, worker, memory).addToolCalls({
    id: `step-${memory.step}`,
    toolCalls,
  });
  memory.open = [
    ...memory.open,
    ...toolCalls.map((call) => ({ actionId: action.id, call, worker })),
  ];
  return action;
}

async function doResults(
  history: HistoryManager,
  { sources, fails }: Extract<LoopStep, { readonly kind: "results" }>,
  memory: LoopMemory,
): Promise<unknown> {
  const [first] = memory.open;
  if (first === undefined) return undefined;
  const answered = memory.open
    .filter(({ actionId }) => actionId === first.actionId)
    .slice(0, sources.length);
  const results = answered.map(({ actionId, call }, index) => {
    const answer = {
      id: `step-${memory.step}-${index}`,
      actionId,
      callId: call.id,
      toolName: call.name,
    };
    if (fails && index === 0) return { ...answer, outcome: "error" as const, error: "no" };
    return { ...answer, content: "Found:", sources: (sources[index] ?? []).map(sourceOf) };
  });
  const kept = await at(history, first.worker, memory).addToolCallResults(results);
  memory.open = memory.open.filter((open) => !answered.includes(open));
  return kept;
}

async function doNote(
  history: HistoryManager,
  what: Extract<LoopStep, { readonly kind: "note" }>["what"],
  id: string,
): Promise<unknown> {
  switch (what) {
    case "final":
      return history.addFinal({ id, content: "Done [source2]." });
    case "synthesis":
      return history.addSynthesis({ id, phaseId: 1, content: "Summed up." });
    case "memory":
      return history.addMemory({ id, content: "They like tea." });
    case "error":
      return history.addError({ id, content: "It broke." });
    case "plan":
      return history.addPlan({ id, content: "1. look" });
  }
}

async function ask(
  history: HistoryManager,
  { rendered, uploads }: Extract<LoopStep, { readonly kind: "ask" }>,
): Promise<unknown> {
  const { entries, plan, counts } = await history.historyForModelCall({
    systemMessage: "You answer.",
    cleaner: CLEANER,
    tools: [{ name: "look" }],
    ...(rendered && { renderedUserMessage: "In short?" }),
    ...(!uploads && { uploads: [] }),
  });
  // What is compared is what is sent: plain JSON.
  return JSON.parse(JSON.stringify({ entries, plan, counts })) as unknown;
}

function at(
  history: HistoryManager,
  worker: number | undefined,
  { tasks }: LoopMemory,
): HistoryManager {
  if (worker === undefined) return history;
  const taskId = tasks.get(worker);
  return history.withScope({ agent: workerOf(worker), ...(taskId !== undefined && { taskId }) });
}

function workerOf(worker: number): Agent {
  return { id: `worker-${worker}`, role: "worker" };
}

function sourceOf(number: number): { readonly id: string; readonly text: string } {
  return { id: `doc-${number}`, text: `Line ${number}. `.repeat(3) };
}
