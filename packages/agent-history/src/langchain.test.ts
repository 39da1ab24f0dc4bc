import { isHistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { fitMessages, fitMessagesAsync, fitMiddleware } from "./langchain.ts";

const messages = Array.from({ length: 40 }, (_, index) => [
  { type: "human", content: `Question ${index}: what is it?` },
  { type: "ai", content: `Answer ${index}: ${"it is so. ".repeat(40)}` },
])
  .flat()
  .concat([{ type: "human", content: "And now?" }]);
const window = { contextTokens: 3000, outputReserveTokens: 200 };

describe("agent-history/langchain", () => {
  it("trims messages to a model's window, and continues the plan of the previous call", async () => {
    const options = {
      model: "gpt-5",
      window,
      tools: [{ name: "find", schema: { type: "object" } }],
    };
    const { messages: sent, plan } = fitMessages(messages, options);

    expect(sent.length).toBeLessThan(messages.length);
    expect(sent.at(-1)).toBe(messages.at(-1));
    expect(plan.totalTokens).toBeLessThanOrEqual(2800);
    expect(await fitMessagesAsync(messages, options)).toEqual({ messages: sent, plan });
    const grown = [
      ...messages,
      { type: "ai", content: "Now." },
      { type: "human", content: "Why?" },
    ];
    const next = fitMessages(grown, { ...options, previousPlan: plan });
    expect(next.plan.continued).toBeDefined();
  });

  it("trims each call of an agent's model", async () => {
    const { wrapModelCall } = fitMiddleware({ model: "gpt-5", window });
    const sent = await wrapModelCall({ messages }, (request) => request.messages);

    expect(sent.length).toBeLessThan(messages.length);
    expect(sent.at(-1)).toBe(messages.at(-1));
  });

  it("refuses an unknown model", () => {
    const isRefused = (error: unknown) => isHistoryError(error, "INVALID_OPTION");
    const model = "llama-local";
    expect(() => fitMiddleware({ model })).toThrow(expect.toSatisfy(isRefused));
    expect(() => fitMessages(messages, { model })).toThrow(expect.toSatisfy(isRefused));
  });
});
