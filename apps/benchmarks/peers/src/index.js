// What people use today, each as one system, loaded only when it is measured: to load them all takes seconds.

const trim = (options) => async (given) => {
  const { trimMessagesSystem } = await import("./trim-messages.js");
  return trimMessagesSystem({ ...given, ...options });
};

const limiter = (trimMode) => async (given) => {
  const { tokenLimiterSystem } = await import("./token-limiter.js");
  return tokenLimiterSystem({ ...given, trimMode });
};

const summarization = async (given) => {
  const { summarizationSystem } = await import("./summarization-middleware.js");
  return summarizationSystem(given);
};

const chef = async (given) => {
  const { contextChefSystem } = await import("./context-chef.js");
  return contextChefSystem(given);
};

const prune = async (given) => {
  const { pruneMessagesSystem } = await import("./prune-messages.js");
  return pruneMessagesSystem(given);
};

const SYSTEMS = new Map([
  ["trimMessages, exact counter", trim({ remembers: false, startOn: true })],
  ["trimMessages, caching counter", trim({ remembers: true, startOn: true })],
  ["trimMessages, caching counter, without startOn", trim({ remembers: true, startOn: false })],
  ["summarizationMiddleware, fake model", summarization],
  ["Mastra TokenLimiter, best-fit", limiter("best-fit")],
  ["Mastra TokenLimiter, contiguous", limiter("contiguous")],
  ["ContextChef, summarize, fake model", chef],
  ["AI SDK pruneMessages (knows no window)", prune],
]);

/** Their names, in the order of the tables. */
export const systemNames = [...SYSTEMS.keys()];

/** Loads one. It is handed what counts, so that all are judged by one count. */
export async function loadSystem(name, { messageCounter }) {
  return SYSTEMS.get(name)?.({ name, messageCounter });
}

/** Loads the chat histories in Redis; each is given the address of a server. */
export async function loadStores() {
  const { langchainRedis } = await import("./langchain-redis.js");
  const { mastraRedis } = await import("./mastra-redis.js");
  return [langchainRedis, mastraRedis];
}

/** Loads how they summarize: each a function from messages, a model and a counter to the text that takes their place. */
export async function loadSummaries() {
  const { summaryWays } = await import("./summaries.js");
  return summaryWays;
}

/** Loads how they trim a conversation with thinking, by name. */
export async function loadReasoningWays() {
  const { reasoningWay, reasoningWays } = await import("./reasoning.js");
  return Object.keys(reasoningWays).map((name) => [name, (given) => reasoningWay(name, given)]);
}
