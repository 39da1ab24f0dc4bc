import type { AgentRole } from "@agent-history/core";
import type { ModelMessage, ToolModelMessage } from "ai";
import type * as z from "zod";

import { callModel } from "./ask.ts";
import type { CallOptions, Reply, Team } from "./ask.ts";
import type { Windows } from "./environment.ts";
import { counter } from "./history.ts";
import { MANAGER, ORCHESTRATOR, PHASES, TASKS, WORKER } from "./prompts.ts";
import type { Answerer } from "./session.ts";
import { MAX_STEPS, runTool } from "./tool-loop.ts";

/** How people cut an array of messages before they send it. */
export type Cut = (
  messages: readonly ModelMessage[],
  role: AgentRole,
  instructions: string,
) => readonly ModelMessage[];

/** The same team without agent-history: each agent has an array of messages of its own, which is cut before each call. */
export function naiveTeam(cut: Cut, team: Team): Answerer {
  // The orchestrator's goes on from question to question.
  const ask = askerOf("orchestrator", ORCHESTRATOR, { cut, team });
  return async ({ content }) => {
    const { phases } = await ask.plan(content, PHASES);
    let found = "";
    for (const { goal } of phases) {
      found = await runManager(`${goal}\n${found}`.trim(), { cut, team });
      ask.messages.push({ role: "user", content: found });
    }
    return (await ask.reply()).text;
  };
}

interface Way {
  readonly cut: Cut;
  readonly team: Team;
}

async function runManager(goal: string, way: Way): Promise<string> {
  const ask = askerOf("manager", MANAGER, way);
  const { tasks } = await ask.plan(goal, TASKS);
  for (const task of tasks)
    ask.messages.push({ role: "user", content: await runWorker(task, way) });
  return (await ask.reply()).text;
}

async function runWorker(task: string, way: Way): Promise<string> {
  const { tools } = way.team;
  const ask = askerOf("worker", WORKER, way);
  ask.messages.push({ role: "user", content: task });
  for (let step = 0; step < MAX_STEPS; step++) {
    const { text, toolCalls } = await ask.reply({ tools });
    if (toolCalls.length === 0) return text;
    ask.messages.push({ role: "tool", content: await resultsOf(toolCalls, way.team) });
  }
  throw new Error(`A worker did not report within ${MAX_STEPS} steps.`);
}

/** An agent: its messages, and how it asks. */
function askerOf(role: AgentRole, instructions: string, { cut, team }: Way) {
  const messages: ModelMessage[] = [];
  const system: ModelMessage = { role: "system", content: instructions };
  const reply = async (request: Pick<CallOptions, "tools" | "schema"> = {}): Promise<Reply> => {
    const sent = [system, ...cut(messages, role, instructions)];
    const { text, toolCalls } = await callModel(sent, { ...request, role }, team);
    const calls = toolCalls.map(({ toolCallId, toolName, input }) => {
      return { type: "tool-call" as const, toolCallId, toolName, input };
    });
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    messages.push({ role: "assistant", content: [...texts, ...calls] });
    return { text, toolCalls };
  };
  const plan = async <Plan>(content: string, schema: z.ZodType<Plan>): Promise<Plan> => {
    messages.push({ role: "user", content });
    const { text } = await reply({ schema });
    return schema.parse(JSON.parse(text));
  };
  return { messages, reply, plan };
}

async function resultsOf(
  calls: Reply["toolCalls"],
  { tools }: Team,
): Promise<ToolModelMessage["content"]> {
  const results = calls.map(async ({ toolCallId, toolName, input }) => {
    const call = { id: toolCallId, name: toolName, arguments: JSON.stringify(input) };
    const found = await runTool(call, tools).catch(String);
    const value = typeof found === "string" ? found : `(${found.path})\n${found.text}`;
    const output = { type: "text" as const, value };
    return { type: "tool-result" as const, toolCallId, toolName, output };
  });
  return Promise.all(results);
}

/** The ways in which people cut, by name. */
export function cutsFor(windows: Windows): Readonly<Record<string, Cut>> {
  return {
    "whole arrays": (messages) => messages,
    "last 10 messages": (messages) => messages.slice(-10),
    // The newest that fit beside the first, with whole pairs of calls and results: as LangChain's trimMessages does.
    "newest that fit": (messages, role, instructions) => {
      const { contextTokens, outputReserveTokens = 0 } = windows[role];
      const [first] = messages;
      const sizes = messages.map(({ content }) => counter.countText(JSON.stringify(content)) + 4);
      let room = contextTokens - outputReserveTokens - counter.countText(instructions) - TOOLS;
      let from = messages.length;
      room -= sizes[0] ?? 0;
      while (from > 1 && room >= (sizes[from - 1] ?? 0)) room -= sizes[--from] ?? 0;
      while (messages[from]?.role === "tool") from += 1;
      return from <= 1 || first === undefined ? messages : [first, ...messages.slice(from)];
    },
  };
}

/** Tokens kept free for the tool schemas. */
const TOOLS = 300;
