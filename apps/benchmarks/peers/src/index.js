// What people use today, each as one system, loaded only when it is measured: to load them all takes seconds.

const COUNTER = "our counter remembers for it";
const MODEL = "its model answers at once";
const ESTIMATE = "counts by estimate";

const trimMessages = async (given) => (await import("./langchain.js")).trimMessagesSystem(given);
const summarize = async (given) => (await import("./langchain.js")).summarizationSystem(given);
const limit = async (given) => (await import("./mastra.js")).tokenLimiterSystem(given);
const chef = async (given) => (await import("./context-chef.js")).contextChefSystem(given);
const prune = async () => (await import("./ai-sdk.js")).pruneMessagesSystem();

const SYSTEMS = new Map([
  ["LangChain trimMessages", [trimMessages, { startOn: true }, COUNTER]],
  ["LangChain trimMessages, without startOn", [trimMessages, { startOn: false }, COUNTER]],
  ["LangChain summarizationMiddleware", [summarize, {}, MODEL]],
  ["Mastra TokenLimiter, best-fit", [limit, { trimMode: "best-fit" }, ESTIMATE]],
  ["Mastra TokenLimiter, contiguous", [limit, { trimMode: "contiguous" }, ESTIMATE]],
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

/** Loads the chat histories on a server of Redis. */
export async function loadStores(given) {
  const { langchainRedis, mastraRedis } = await import("./stores.js");
  return [langchainRedis(given), mastraRedis(given)];
}

/** Loads how they trim a conversation with thinking, by name. */
export async function loadReasoningWays() {
  const { reasoningWay, reasoningWays } = await import("./reasoning.js");
  return Object.keys(reasoningWays).map((name) => [name, (given) => reasoningWay(name, given)]);
}
