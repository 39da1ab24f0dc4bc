import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RedisChatMessageHistory } from "@langchain/redis";
import { RedisStore } from "@mastra/redis";

/** `RedisChatMessageHistory` of @langchain/redis. It adds messages one by one, and reads all of them or none. */
export function langchainRedis({ url, newest }) {
  return {
    name: "@langchain/redis, RedisChatMessageHistory",
    backend: "Redis",
    leavesOut: "agents, retries",
    open: async (thread) => {
      const sessionId = `langchain:${thread}`;
      const history = new RedisChatMessageHistory({ sessionId, config: { url } });
      return {
        append: (entries) => history.addMessages(entries.map(langchainMessage)),
        prompt: async () => (await history.getMessages()).slice(-newest),
        workerView: () => history.getMessages(),
        close: () => history.client.quit(),
      };
    },
  };
}

function langchainMessage({ id, type, content, agent }) {
  const fields = {
    id,
    content: content ?? "",
    additional_kwargs: agent === undefined ? {} : { agent },
  };
  return type === "user_message" ? new HumanMessage(fields) : new AIMessage(fields);
}

/** The memory of @mastra/redis: saved in batches, read by page, the newest first, as its `lastMessages` does. */
export function mastraRedis({ url, newest }) {
  return {
    name: "@mastra/redis, memory",
    backend: "Redis",
    leavesOut: "agents, retries",
    open: async (threadId) => {
      const storage = new RedisStore({ id: threadId, connectionString: url });
      await storage.init();
      const memory = await storage.getStore("memory");
      const resourceId = "benchmark";
      const now = new Date();
      const thread = {
        id: threadId,
        resourceId,
        title: "",
        metadata: {},
        createdAt: now,
        updatedAt: now,
      };
      await memory.saveThread({ thread });
      const listed = async (options) =>
        (await memory.listMessages({ threadId, ...options })).messages;
      return {
        append: (entries) =>
          memory.saveMessages({
            messages: entries.map((entry) => mastraMessage(entry, threadId, resourceId)),
          }),
        prompt: () =>
          listed({ perPage: newest, orderBy: { field: "createdAt", direction: "DESC" } }),
        workerView: () => listed({ perPage: false }),
        close: async () => storage.close?.(),
      };
    },
  };
}

function mastraMessage({ id, type, content, agent, createdAtMs }, threadId, resourceId) {
  return {
    id,
    threadId,
    resourceId,
    role: type === "user_message" ? "user" : "assistant",
    createdAt: new Date(createdAtMs),
    content: {
      format: 2,
      parts: [{ type: "text", text: content ?? "" }],
      ...(agent !== undefined && { metadata: { agent } }),
    },
  };
}
