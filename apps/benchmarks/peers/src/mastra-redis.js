import { RedisStore } from "@mastra/redis";

/** The memory of @mastra/redis: saved in batches, read by page, the newest first, as its `lastMessages` does. */
export function mastraRedis(url) {
  return {
    name: "@mastra/redis, memory",
    backend: "Redis",
    readsEverything: true,
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
            messages: entries.map((entry) => toMessage(entry, threadId, resourceId)),
          }),
        tail: (count) =>
          listed({ perPage: count, orderBy: { field: "createdAt", direction: "DESC" } }),
        workerView: () => listed({ perPage: false }),
        close: async () => storage.close?.(),
      };
    },
  };
}

function toMessage({ id, type, content, agent, createdAtMs }, threadId, resourceId) {
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
