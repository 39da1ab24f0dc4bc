import { isHistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { fitAnthropicRequest, fitAnthropicRequestAsync } from "./anthropic.ts";

const messages = Array.from({ length: 40 }, (_, index) => [
  { role: "user", content: `Question ${index}: what is it?` },
  { role: "assistant", content: `Answer ${index}: ${"it is so. ".repeat(40)}` },
])
  .flat()
  .concat([{ role: "user", content: "And now?" }]);
const tools = [{ name: "find", input_schema: { type: "object" as const } }];
const system = "You book flights.";
const window = { contextTokens: 3000, outputReserveTokens: 200 };

describe("fitAnthropicRequest", () => {
  it("trims messages, and counts system and tools", async () => {
    const options = { model: "claude-opus-5-5", window, tools, system };
    const { request, plan } = fitAnthropicRequest(messages, options);

    expect(request.system).toBe(system);
    expect(request.tools).toEqual(tools);
    expect(request.messages.length).toBeLessThan(messages.length);
    expect(request.messages.at(-1)).toEqual({ role: "user", content: "And now?" });
    expect(plan.totalTokens).toBeLessThanOrEqual(2800);
    expect(await fitAnthropicRequestAsync(messages, options)).toEqual({ request, plan });
    const bare = fitAnthropicRequest(messages.slice(-1), { model: "claude-opus-5-5" });
    const whole = fitAnthropicRequest(messages.slice(-1), {
      model: "claude-opus-5-5",
      tools,
      system,
    });
    expect(whole.plan.totalTokens).toBeGreaterThan(bare.plan.totalTokens + 804);
  });

  it("continues the plan of the previous call", () => {
    const options = { model: "claude-opus-5-5", window, system };
    const first = fitAnthropicRequest(messages.slice(0, 7), {
      ...options,
      previousPlan: undefined,
    });
    const second = fitAnthropicRequest(messages.slice(0, 9), {
      ...options,
      previousPlan: first.plan,
    });

    expect(second.plan.continued).toBeDefined();
    const { messages: sent } = first.request;
    expect(second.request.messages.slice(0, sent.length)).toEqual(sent);
  });

  it("refuses an unknown model and a tool of another shape", () => {
    for (const wrong of [{ model: "llama-local" }, { model: "claude-opus-5-5", tools: [{}] }]) {
      const isRefused = (error: unknown) => isHistoryError(error, "INVALID_OPTION");
      expect(() => fitAnthropicRequest(messages, wrong)).toThrow(expect.toSatisfy(isRefused));
    }
  });
});
