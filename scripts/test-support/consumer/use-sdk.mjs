import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * Uses agent-history beside an SDK of whatever version, as both are installed in this folder. The argument names the SDK. Prints the SDK's version and what
 * needs a newer one; ends with an error if anything else fails.
 */

const sdk = process.argv[2] ?? "";
const { version } = JSON.parse(readFileSync(`node_modules/${sdk}/package.json`, "utf8"));
const question = "And of Spain?";
const conversation = [
  { role: "user", content: "What is the capital of France?" },
  { role: "assistant", content: "Paris is the capital of France. ".repeat(2000) },
  { role: "user", content: question },
];
const needsNewer = [];

const uses = {
  ai: useAi,
  openai: useOpenai,
  "@anthropic-ai/sdk": useAnthropic,
  "@langchain/core": useLangChain,
  redis: useRedis,
  zod: useZod,
  miniflare: useMiniflare,
};
await uses[sdk]();
// What is known to be missing there, and nothing else.
const known = { "ai 4": 1, "redis 4": 1 };
assert.equal(
  needsNewer.length,
  known[`${sdk} ${Number.parseInt(version, 10)}`] ?? 0,
  needsNewer.join(),
);
console.log(JSON.stringify({ version, needsNewer }));

async function useAi() {
  const { generateText, wrapLanguageModel } = await import("ai");
  const { aiSdkSummaryModel, fitMiddleware, fitModelMessages, fitStep } =
    await import("agent-history/ai-sdk");
  const prompts = [];
  const model = languageModel(prompts);
  assert.deepEqual(fitModelMessages(conversation.slice(2), { model: "gpt-4" }).messages, [
    { role: "user", content: question },
  ]);
  await unlessTooOld("aiSdkSummaryModel", async () => {
    const request = { instructions: "Be brief.", prompt: "A long story.", maxOutputTokens: 50 };
    assert.equal(await aiSdkSummaryModel(model)(request), "Madrid.");
    assert.match(JSON.stringify(prompts.pop()), /Be brief\./);
  });
  await unlessTooOld("fitMiddleware", async () => {
    const fitting = wrapLanguageModel({ model, middleware: fitMiddleware({ model: "gpt-4" }) });
    await generateText({ model: fitting, messages: conversation });
    assertFitted(prompts.pop());
  });
  // AI SDK 4 calls no `prepareStep`.
  if (!version.startsWith("4."))
    await unlessTooOld("fitStep", async () => {
      const prepareStep = fitStep({ model: "gpt-4" });
      await generateText({ model, messages: conversation, prepareStep });
      assertFitted(prompts.pop());
    });
}

/** A model of the specification that this version of the AI SDK asks for. */
function languageModel(prompts) {
  const specification = `v${Number.parseInt(version, 10) - 3}`;
  const isOlder = ["v1", "v2"].includes(specification);
  const count = (total) => (isOlder ? total : { total });
  return {
    specificationVersion: specification,
    provider: "example",
    modelId: "example",
    supportedUrls: {},
    doStream: () => Promise.reject(new Error("It does not stream.")),
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      return {
        content: [{ type: "text", text: "Madrid." }],
        finishReason: isOlder ? "stop" : { unified: "stop" },
        usage: { inputTokens: count(9), outputTokens: count(2), totalTokens: 11 },
        warnings: [],
      };
    },
  };
}

async function useOpenai() {
  const { default: OpenAI } = await import("openai");
  const { fitChatMessages } = await import("agent-history/openai");
  const { body, fetch } = answering({ id: "1", object: "chat.completion", choices: [] });
  const { messages } = fitChatMessages(conversation, { model: "gpt-4" });
  const client = new OpenAI({ apiKey: "none", fetch });
  await client.chat.completions.create({ model: "gpt-4", messages });
  assertFitted(body().messages);
}

async function useAnthropic() {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const { fitAnthropicRequest } = await import("agent-history/anthropic");
  const { body, fetch } = answering({ id: "1", type: "message", role: "assistant", content: [] });
  const options = { model: "claude-opus-5-5", window: { contextTokens: 8000 } };
  const { request } = fitAnthropicRequest(conversation, options);
  const client = new Anthropic({ apiKey: "none", fetch });
  await client.messages.create({ model: "claude-opus-5-5", max_tokens: 64, ...request });
  assertFitted(body().messages);
}

async function useLangChain() {
  const { AIMessage, HumanMessage, SystemMessage, ToolMessage } =
    await import("@langchain/core/messages");
  const { fitMessages } = await import("agent-history/langchain");
  const calls = [{ id: "c1", name: "find", args: {}, type: "tool_call" }];
  const messages = [
    new SystemMessage("Answer."),
    new HumanMessage("What is the capital of France?"),
    new AIMessage({ content: "", tool_calls: calls }),
    new ToolMessage({ tool_call_id: "c1", name: "find", content: "Paris. ".repeat(6000) }),
    new AIMessage("Paris."),
    new HumanMessage(question),
  ];
  const fitted = fitMessages(messages, { model: "gpt-4" }).messages;
  assert.deepEqual(
    fitted.map((message) => message.getType()),
    ["system", "human", "ai", "tool", "ai", "human"],
  );
  assert.ok(fitted[3] instanceof ToolMessage);
  assertFitted(fitted);
}

async function useRedis() {
  const { createClient } = await import("redis");
  const { createHistory } = await import("agent-history");
  const { redisStore } = await import("agent-history/store-redis");
  const client = createClient({ url: process.env.REDIS_URL });
  await client.connect();
  await unlessTooOld("redisStore", async () => {
    for (const content of ["To Rome, please.", "Take the first."]) {
      const store = redisStore({ client, namespace: `${process.pid}` });
      const history = createHistory({ model: "gpt-5", store, threadId: "chat" });
      await history.addUserMessage({ content });
    }
    const { entries } = await redisStore({ client, namespace: `${process.pid}` }).read("chat");
    assert.deepEqual(
      entries.map(({ content }) => content),
      ["To Rome, please.", "Take the first."],
    );
  });
  // Named so since redis 5.
  if (client.destroy === undefined) await client.disconnect();
  else client.destroy();
}

async function useZod() {
  const { fitMiddleware } = await import("agent-history/langchain");
  fitMiddleware({ model: "gpt-4" });
  await unlessTooOld("the schema of an entry", async () => {
    const { userMessage } = await import("@agent-history/core");
    const { historyEntrySchema } = await import("@agent-history/core/schema");
    assert.ok(historyEntrySchema.safeParse(userMessage({ content: question })).success);
  });
}

async function useMiniflare() {
  const { build } = await import("esbuild");
  const { Miniflare } = await import("miniflare");
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { worker as default } from "./use-on-the-edge.ts";',
      resolveDir: ".",
    },
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    write: false,
  });
  const worker = new Miniflare({ modules: true, script: outputFiles[0].text });
  const answer = await worker.dispatchFetch("http://localhost/");
  const came = (await answer.json()).join();
  assert.equal(came, "user,assistant,user,system_message,user_message");
  await worker.dispose();
}

/** Gives every request one answer, and the last request's body. */
function answering(answer) {
  let sent = "{}";
  const fetch = async (_, { body }) => {
    sent = body;
    return Response.json(answer);
  };
  return { body: () => JSON.parse(sent), fetch };
}

function assertFitted(messages) {
  const text = JSON.stringify(messages);
  assert.ok(text.length < 50_000, `${text.length} characters are too many`);
  assert.match(text, /And of Spain\?/);
}

/** Passes over a typed error that names the version that is needed; all else fails. */
async function unlessTooOld(what, use) {
  try {
    await use();
  } catch (error) {
    if (error?.code !== "MISSING_PACKAGE" || error.details.needs === undefined) throw error;
    needsNewer.push(`${what}: ${error.details.package} ${error.details.needs}`);
  }
}
