// What people use today, each as one system, loaded only when it is measured: to load them all takes seconds.

const MODEL = "its model answers at once";

const SYSTEMS = new Map([
  ["LangChain trimMessages", [trim, { startOn: true }, "our counter remembers for it"]],
  [
    "LangChain trimMessages, without startOn",
    [trim, { startOn: false }, "our counter remembers for it"],
  ],
  ["LangChain summarizationMiddleware", [summarization, {}, MODEL]],
  ["Mastra TokenLimiter, best-fit", [limiter, { trimMode: "best-fit" }, "counts by estimate"]],
  ["Mastra TokenLimiter, contiguous", [limiter, { trimMode: "contiguous" }, "counts by estimate"]],
  ["ContextChef, summarize", [chef, {}, MODEL]],
  ["AI SDK pruneMessages", [prune, {}, "knows no window"]],
]);

/** Their names, in the order of the tables. */
export const systemNames = [...SYSTEMS.keys()];

/** Loads one. It is handed what counts, so that all are judged by one count. */
export async function loadSystem(name, { messageCounter }) {
  const [load, options, leavesOut] = SYSTEMS.get(name);
  return { name, leavesOut, ...(await load({ ...options, messageCounter })) };
}

async function trim(given) {
  return (await import("./langchain.js")).trimMessagesSystem(given);
}

async function summarization(given) {
  return (await import("./langchain.js")).summarizationSystem(given);
}

async function limiter(given) {
  return (await import("./mastra.js")).tokenLimiterSystem(given);
}

async function chef(given) {
  return (await import("./context-chef.js")).contextChefSystem(given);
}

async function prune() {
  return (await import("./ai-sdk.js")).pruneMessagesSystem();
}

/** Loads the chat histories in Redis; each is given the address of a server. */
export async function loadStores() {
  const { langchainRedis, mastraRedis } = await import("./stores.js");
  return [langchainRedis, mastraRedis];
}

/** Loads how they trim a conversation with thinking, by name. */
export async function loadReasoningWays() {
  const { reasoningWay, reasoningWays } = await import("./reasoning.js");
  return Object.keys(reasoningWays).map((name) => [name, (given) => reasoningWay(name, given)]);
}
