import {
  action,
  assistantMessage,
  commitCompactions,
  createCompressor,
  fitToWindow,
  modelCounter,
  observation,
  threadStep,
  tokensExceed,
  userMessage,
} from "agent-history";
import type {
  HistoryEntry,
  HistoryStore,
  StepInput,
  StepOutput,
  ThreadReference,
} from "agent-history";
import { toChatMessages, toToolDefinitions } from "agent-history/openai";
import type OpenAI from "openai";

/** What a run works with. */
export interface AgentRun {
  readonly store: HistoryStore;
  readonly client: OpenAI;
  /** Stores the result of a step, and gives it again at each replay: `DBOS.runStep`, `ctx.run` of Restate, an activity of Temporal. */
  readonly step: (
    name: string,
    run: (stepId: string) => Promise<ThreadReference>,
  ) => Promise<ThreadReference>;
}

const MODEL = "gpt-5.1";
export const CONTEXT_TOKENS = 4000;
const counter = modelCounter(MODEL);
const tools = [
  {
    type: "function" as const,
    function: {
      name: "find",
      parameters: { type: "object", properties: { to: { type: "string" } } },
    },
  },
];

/** Lets an agent make some calls of its model. The workflow holds where the thread stands, and no message. */
export async function runAgent(
  threadId: string,
  calls: number,
  { store, client, step }: AgentRun,
): Promise<ThreadReference> {
  let at: ThreadReference = { threadId, version: 0 };
  for (let call = 0; call < calls; call += 1) {
    const [before, between] = [
      at,
      await step("input", async (id) => threadStep(store, at, id, giveInput)),
    ];
    at = await step("model", async (id) =>
      threadStep(store, between, id, async (input) => ask(client, input)),
    );
    if (call % 10 === 9) at = await step("compact", async () => compact(store, at));
    if (at.version <= before.version) throw new Error("A step added nothing.");
  }
  return at;
}

/** Answers the calls of the model, or asks the next question. */
async function giveInput({ entries }: StepInput): Promise<StepOutput> {
  const last = entries.at(-1);
  if (last?.type !== "action")
    return { entries: [userMessage({ content: `Question ${entries.length}: which flights?` })] };
  const results = last.toolCalls.map(({ id, name }) =>
    observation({
      callId: id,
      toolName: name,
      outcome: "success",
      content: `Found for ${id}: ${"a seat, ".repeat(60)}`,
    }),
  );
  return { entries: results };
}

/** Fits what the thread says, asks the model, and returns its answer. */
async function ask(client: OpenAI, { entries, previousPlan }: StepInput): Promise<StepOutput> {
  const window = { contextTokens: CONTEXT_TOKENS };
  const fitted = fitToWindow(entries, {
    counter,
    window,
    tools: toToolDefinitions(tools),
    previousPlan,
  });
  const messages = toChatMessages(fitted.entries) as OpenAI.ChatCompletionMessageParam[];
  const { choices } = await client.chat.completions.create({ model: MODEL, messages, tools });
  const { content, tool_calls: called = [] } = choices[0]?.message ?? {};
  const toolCalls = called.flatMap((one) =>
    one.type === "function"
      ? [{ id: one.id, name: one.function.name, arguments: one.function.arguments }]
      : [],
  );
  const answer: HistoryEntry =
    toolCalls.length > 0 ? action({ toolCalls }) : assistantMessage({ content: content ?? "" });
  return { entries: [answer], plan: fitted.plan };
}

const compressor = createCompressor({
  counter,
  trigger: tokensExceed(CONTEXT_TOKENS / 2),
  tailTokens: 800,
});

/** Summarizes old history once: the store refuses a second summary of what one covers, and the step a thread that has moved on. */
async function compact(store: HistoryStore, at: ThreadReference): Promise<ThreadReference> {
  const { threadId, version } = at;
  const now = await store.read(threadId, { query: { view: "thread", clauses: [{}] } });
  if (now.version !== version) throw new Error("The thread has moved on.");
  const outcome = await compressor.compress(now.entries, { view: "thread" });
  if (outcome.outcome !== "compressed") return at;
  const { compaction, compactions = [compaction] } = outcome;
  await commitCompactions(store, threadId, compactions, { expectedViewRevision: now.viewRevision });
  return at;
}
