import { tmpdir } from "node:os";

import { ContextChef } from "@context-chef/core";
import { RemoveMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { summarizationMiddleware } from "langchain";

import { fromLangchain, langchainCounter, toLangchain } from "./langchain-messages.js";

const SILENT = { warn: () => {}, info: () => {}, error: () => {}, debug: () => {} };

/**
 * What takes the place of messages in each library, the newest message kept: each asks `ask`, a function from a prompt to text,
 * and has its own defaults for what the prompt holds.
 */
export const summaryWays = {
  "LangChain summarizationMiddleware": async ({ messages, ask, counter }) => {
    const model = new AskedModel({ responses: [""] });
    model.ask = ask;
    const tokenCounter = langchainCounter(counter);
    const options = { model, trigger: { tokens: 1 }, keep: { messages: 1 }, tokenCounter };
    const middleware = summarizationMiddleware(options);
    const state = messages.filter(({ role }) => role !== "system").map(toLangchain);
    const update = await middleware.beforeModel({ messages: state }, { context: {} });
    const left = (update?.messages ?? []).filter((each) => !(each instanceof RemoveMessage));
    return left.length === 0 ? "" : fromLangchain(left[0]).content;
  },
  "ContextChef summarize": async ({ messages, ask, counter }) => {
    let text = "";
    const total = counter.countRequest(messages);
    const chef = new ContextChef({
      vfs: { storageDir: tmpdir() },
      janitor: {
        contextWindow: Math.max(1, Math.floor(total / 2)),
        preserveRatio: 0.01,
        tokenizer: (history) => history.reduce((sum, each) => sum + counter.countMessage(each), 3),
        compressionModel: async (asked) =>
          ask(asked.map(({ content }) => content ?? "").join("\n")),
        onCompress: (summary) => {
          text = summary.content;
        },
      },
      logger: SILENT,
    });
    const log = messages.map((message) => ({ ...message, content: message.content ?? "" }));
    await chef.setHistory(log).compile({ target: "openai" });
    return text;
  },
};

/** Answers by a function of the prompt. */
class AskedModel extends FakeListChatModel {
  async _generate(messages, ...rest) {
    const prompt = messages.map(({ content }) => content).join("\n");
    this.responses = [this.ask(prompt)];
    this.i = 0;
    return super._generate(messages, ...rest);
  }
}
