import { toModelMessages, toToolDefinitionsSync } from "@agent-history/ai-sdk";
import type { AgentRole, Compaction, HistoryEntry, SummaryModel } from "@agent-history/core";
import type { HistoryManager, ModelCallHistory } from "@agent-history/history-manager";
import { Output, streamText } from "ai";
import type { LanguageModel, ModelMessage, ToolSet, TypedToolCall } from "ai";
import type * as z from "zod";

/** A model for each role. */
export type Models = (role: AgentRole) => LanguageModel;

/** What all agents of a run share. */
export interface Team {
  readonly modelOf: Models;
  readonly tools: ToolSet;
  /** What is in the thread already, by id: empty, or the work of an interrupted process. */
  readonly written: ReadonlyMap<string, HistoryEntry>;
  /** Called after each model call, also one that failed. */
  readonly onCall: (call: ModelCall) => void | Promise<void>;
  /** Called after a summary has replaced old entries. */
  readonly onSummary?: (summary: Compaction) => void;
}

/** A model call, as the model reports it. */
export interface ModelCall {
  readonly inputTokens: number;
  /** Of the input, what stood at the beginning of an earlier prompt: what the model's prompt cache holds. */
  readonly cachedTokens: number;
  readonly isSummary?: boolean;
  /** What was sent, and what was decided about each entry. */
  readonly prompt?: ModelCallHistory;
  /** Who asked. */
  readonly history?: HistoryManager;
}

/** What a model answered. */
export interface Reply {
  readonly text: string;
  readonly toolCalls: readonly TypedToolCall<ToolSet>[];
}

/** What an agent asks with, beside its history. */
export interface Question {
  readonly instructions: string;
  readonly tools?: ToolSet;
  /** Asks for an object of this schema, as JSON. */
  readonly schema?: z.ZodType;
}

/** Asks an agent's model: the manager builds the prompt from the thread, the AI SDK sends it. */
export async function ask(history: HistoryManager, question: Question, team: Team): Promise<Reply> {
  const { agent } = history.scope;
  if (agent === undefined) throw new Error("Expected a manager in the scope of an agent.");
  const prompt = await buildPrompt(history, question, team);
  const messages = toModelMessages(prompt.entries, { agentId: agent.id });
  return callModel(messages, { ...question, role: agent.role, prompt, history }, team);
}

/** Builds the prompt. Where a cut would drop what the agent did for its task, that is summarized first. */
async function buildPrompt(
  history: HistoryManager,
  { instructions, tools = {} }: Question,
  { onSummary }: Team,
): Promise<ModelCallHistory> {
  const request = { systemMessage: instructions, tools: toToolDefinitionsSync(tools) };
  const prompt = await history.historyForModelCall(request);
  const isDropping = prompt.plan.decisions.some(({ action }) => action.kind === "drop");
  if (!isDropping) return prompt;
  const made = await history.compress();
  if (made.outcome !== "compressed") return prompt;
  onSummary?.(made.compaction);
  return history.historyForModelCall(request);
}

/** Asks for a plan, an object of the given schema, and stores it. */
export async function plan<Plan>(
  history: HistoryManager,
  id: string,
  question: { readonly instructions: string; readonly schema: z.ZodType<Plan> },
  team: Team,
): Promise<Plan> {
  const { metadata } = await once(team, id, "strategic_plan", async () => {
    const { text } = await ask(history, question, team);
    return history.addPlan({ id, content: text, metadata: { plan: JSON.parse(text) } });
  });
  return question.schema.parse(metadata?.["plan"]);
}

type EntryOf<Type> = Extract<HistoryEntry, { readonly type: Type }>;

/** Returns what an interrupted process wrote under this id, else writes it now: all that it takes to resume. */
export async function once<Type extends HistoryEntry["type"]>(
  { written }: Team,
  id: string,
  type: Type,
  write: () => Promise<EntryOf<Type>>,
): Promise<EntryOf<Type>> {
  const isWritten = (entry?: HistoryEntry): entry is EntryOf<Type> => entry?.type === type;
  const entry = written.get(id);
  return isWritten(entry) ? entry : write();
}

/** What {@link callModel} sends beside the messages. */
export interface CallOptions extends Partial<Question>, Pick<ModelCall, "prompt" | "history"> {
  readonly role: AgentRole;
}

/** The one way to a model: one request, one reply. Tools are declared and not run, so that each call is stored before it runs. */
export async function callModel(
  messages: ModelMessage[],
  { role, tools = {}, schema, prompt, history }: CallOptions,
  team: Team,
): Promise<Reply> {
  let error: unknown;
  const result = streamText({
    model: team.modelOf(role),
    messages,
    allowSystemInMessages: true,
    tools: declared(tools),
    ...(schema && { output: Output.object({ schema }) }),
    onError: (event) => {
      error = event.error;
    },
  });
  await result.consumeStream();
  const who = { ...(prompt && { prompt }), ...(history && { history }) };
  if (error !== undefined) {
    await team.onCall({ inputTokens: 0, cachedTokens: 0, ...who });
    throw error;
  }
  const { inputTokens = 0, inputTokenDetails } = await result.usage;
  const { cacheReadTokens: cachedTokens = 0 } = inputTokenDetails;
  await team.onCall({ inputTokens, cachedTokens, ...who });
  return { text: await result.text, toolCalls: await result.toolCalls };
}

function declared(tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { execute: _, ...tool }]) => [name, tool]),
  );
}

/** Has summaries written by the workers' model; their calls are counted with the others. */
export function summaryModelOf(team: Team): SummaryModel {
  const onCall: Team["onCall"] = (call) => team.onCall({ ...call, isSummary: true });
  return async ({ instructions, prompt }) => {
    const messages: ModelMessage[] = [
      { role: "system", content: instructions },
      { role: "user", content: prompt },
    ];
    return (await callModel(messages, { role: "worker" }, { ...team, onCall })).text;
  };
}
