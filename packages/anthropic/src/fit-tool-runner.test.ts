import type { Reducer, ReductionPlan, TokenCounter } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { fitToolRunner } from "./index.ts";
import type { AnthropicMessageLike, ToolRunnerLike } from "./index.ts";

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => JSON.stringify(entry.content ?? "").length,
  countRequest: () => 0,
};
const reducer: Reducer = createReducer({ counter });
const asks = { role: "user", content: "Which flights?" };
const long = "Found at nine and at noon. ".repeat(40);

describe("fitToolRunner", () => {
  it("fits each request, keeps the whole conversation, and sends what the loop's body pushes", async () => {
    const replies = [call("a"), call("b"), { content: [{ type: "text", text: "Two." }] }];
    const { runner, requests, push } = fakeRunner(replies);
    const plans: ReductionPlan[] = [];
    const contents: unknown[] = [];
    const fitted = fitToolRunner(runner, {
      reducer,
      window: { contextTokens: 700 },
      onPlan: (plan) => plans.push(plan),
    });
    for await (const { content } of fitted) {
      contents.push(content);
      if (contents.length === 2) push({ role: "user", content: "Quickly!" });
    }

    expect(contents).toEqual(replies.map(({ content }) => content));
    expect(requests.map((messages) => messages.length)).toEqual([1, 3, 6]);
    expect(requests[2]?.slice(-2)).toMatchObject([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "b" }] },
      { role: "user", content: "Quickly!" },
    ]);
    expect(JSON.stringify(requests[2]).length).toBeLessThan(2 * long.length);
    expect(plans).toHaveLength(3);
    expect(plans.every(({ totalTokens }) => totalTokens <= 700)).toBe(true);
  });

  it("waits for the end of a reply that streams", async () => {
    const message = { content: [{ type: "text", text: "Two." }] };
    const stream = { finalMessage: async () => message };
    const { runner, requests, push } = fakeRunner([stream, message]);
    let count = 0;
    for await (const item of fitToolRunner(runner, { reducer, window: { contextTokens: 700 } })) {
      if (count === 0) expect(item).toBe(stream);
      if (count === 0) push(asks);
      count += 1;
    }

    expect(requests[1]).toEqual([asks, { role: "assistant", ...message }, asks]);
  });
});

function call(id: string): { readonly content: readonly object[] } {
  return { content: [{ type: "tool_use", id, name: "find", input: {} }] };
}

/** Behaves as the SDK's: its messages do not hold the reply while the loop's body runs, and what is set then is sent as it is. */
function fakeRunner<Item extends object>(
  replies: readonly Item[],
): {
  readonly runner: ToolRunnerLike<Item & { content?: unknown }>;
  readonly requests: (readonly AnthropicMessageLike[])[];
  readonly push: (message: AnthropicMessageLike) => void;
} {
  let messages: readonly AnthropicMessageLike[] = [asks];
  let current: object = {};
  const requests: (readonly AnthropicMessageLike[])[] = [];
  const runner = {
    get params() {
      return { messages };
    },
    setMessagesParams: (params: { readonly messages: readonly AnthropicMessageLike[] }) => {
      ({ messages } = params);
    },
    generateToolResponse: async () => {
      const content = "content" in current && Array.isArray(current.content) ? current.content : [];
      const results = content
        .filter(({ type }: { type: string }) => type === "tool_use")
        .map(({ id }: { id: string }) => ({ type: "tool_result", tool_use_id: id, content: long }));
      return results.length === 0 ? null : { role: "user", content: results };
    },
    async *[Symbol.asyncIterator]() {
      for (const reply of replies) {
        requests.push(messages);
        current = reply;
        yield reply;
      }
    },
  };
  return { runner, requests, push: (message) => void (messages = [...messages, message]) };
}
