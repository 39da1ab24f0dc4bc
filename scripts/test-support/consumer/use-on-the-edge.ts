import { createHistory, memoryStore } from "agent-history";
import { cl100kBaseCounter } from "agent-history/cl100k-base";
import { o200kBaseCounter } from "agent-history/o200k-base";
import { fitChatMessages } from "agent-history/openai";

/** What a program does with the packages where there is no Node. `worker` answers requests with what came out. */

export async function answer(): Promise<readonly (string | undefined)[]> {
  const long = "Paris is the capital of France. ".repeat(1000);
  const messages = [
    { role: "user", content: "What is the capital of France?" },
    { role: "assistant", content: long },
    { role: "user", content: "And of Spain?" },
  ];
  const counter = cl100kBaseCounter({ model: "gpt-4" });
  const fitted = fitChatMessages(messages, { model: "gpt-4", counter });
  const history = createHistory({
    model: "gpt-5",
    counter: o200kBaseCounter({ model: "gpt-5" }),
    store: memoryStore(),
    threadId: "chat",
  });
  await history.addUserMessage({ content: "To Rome, please." });
  const { entries } = await history.historyForModelCall({ systemMessage: "You book flights." });
  return [...fitted.messages.map(({ role }) => role), ...entries.map(({ type }) => type)];
}

export const worker = { fetch: async (): Promise<Response> => Response.json(await answer()) };
