import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RedisChatMessageHistory } from "@langchain/redis";

/** `RedisChatMessageHistory` of @langchain/redis. It adds messages one by one, and reads all of them or none. */
export function langchainRedis(url) {
  return {
    name: "@langchain/redis, RedisChatMessageHistory",
    backend: "Redis",
    readsEverything: true,
    open: async (thread) => {
      const sessionId = `langchain:${thread}`;
      const history = new RedisChatMessageHistory({ sessionId, config: { url } });
      return {
        append: (entries) => history.addMessages(entries.map(toMessage)),
        tail: async (count) => (await history.getMessages()).slice(-count),
        workerView: () => history.getMessages(),
        close: () => history.client.quit(),
      };
    },
  };
}

function toMessage({ id, type, content, agent }) {
  const fields = {
    id,
    content: content ?? "",
    additional_kwargs: agent === undefined ? {} : { agent },
  };
  return type === "user_message" ? new HumanMessage(fields) : new AIMessage(fields);
}
