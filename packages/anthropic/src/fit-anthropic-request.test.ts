import type { Reducer, TokenCounter } from "@agent-history/core";
import { createReducer, fitToWindow } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { fitAnthropicRequest, fitAnthropicRequestAsync } from "./index.ts";
import type { SyncReducer } from "./index.ts";

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => JSON.stringify(entry.content ?? "").length,
  countRequest: (tools) => JSON.stringify(tools ?? "").length,
};
const reducer: SyncReducer = {
  name: "sync",
  reduce: (entries, request) => fitToWindow(entries, { counter, ...request }),
};
const window = { contextTokens: 150 };
const asks = { role: "user", content: "Which flights?" };
const says = { role: "assistant", content: "Two, at nine and at noon. ".repeat(40) };
const tool = { name: "find", input_schema: { type: "object" as const, properties: {} } };

describe("fitAnthropicRequest", () => {
  it("fits messages with `system` and tools, and gives what create takes", () => {
    const { request, plan } = fitAnthropicRequest([asks, says, asks], {
      reducer,
      window,
      system: "Be brief.",
      tools: [tool],
    });

    expect(request).toEqual({ system: "Be brief.", messages: [asks], tools: [tool] });
    expect(plan.requestTokens).toBe(
      counter.countRequest([{ name: "find", parameters: tool.input_schema }]),
    );
  });

  it("is the same with a reducer that answers later", async () => {
    const options = { window, system: "Be brief." };
    expect(
      await fitAnthropicRequestAsync([asks, says, asks], {
        ...options,
        reducer: createReducer({ counter }),
      }),
    ).toEqual(fitAnthropicRequest([asks, says, asks], { ...options, reducer }));
  });

  it("only appends with the plan of the previous call", () => {
    const options = { reducer, window: { contextTokens: 5000 } };
    const first = fitAnthropicRequest([asks], options);
    const { plan } = fitAnthropicRequest([asks, says, asks], {
      ...options,
      previousPlan: first.plan,
    });

    expect(plan.continued).toEqual({ entryCount: 1 });
  });

  it("counts the message that it puts before an answer that nobody asked for", () => {
    const { request, plan } = fitAnthropicRequest([says, asks], {
      reducer,
      window: { contextTokens: 5000 },
    });

    expect(request.messages).toHaveLength(3);
    expect(plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0)).toBe(3);
  });

  it("sends and counts nothing that a compaction stands for", () => {
    const compacted = { role: "assistant", content: [{ type: "compaction", content: "So far." }] };
    const { request, plan } = fitAnthropicRequest([asks, says, compacted, asks], {
      reducer,
      window,
    });

    expect(request.messages).toEqual([compacted, asks]);
    expect(plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0)).toBe(2);
  });

  it("places breakpoints by its plan", () => {
    const { request } = fitAnthropicRequest([asks], { reducer, window, cache: { ttl: "1h" } });

    expect(request.messages).toMatchObject([{ content: [{ cache_control: { ttl: "1h" } }] }]);
  });

  it("refuses what can never work, by name", () => {
    const later: Reducer = createReducer({ counter });
    const refused = (options: object): unknown => {
      try {
        return fitAnthropicRequest([asks], options as never);
      } catch (error) {
        return error;
      }
    };
    const invalid = (option: string): object =>
      expect.objectContaining({ code: "INVALID_OPTION", details: { option } });
    expect(refused({ window })).toEqual(invalid("reducer"));
    expect(refused({ reducer })).toEqual(invalid("window"));
    expect(refused({ reducer: later, window })).toEqual(invalid("reducer"));
    expect(refused({ reducer, window, tools: [{ name: "find" }] })).toEqual(invalid("tools"));
    expect(refused({ reducer, window, system: 5 })).toEqual(invalid("system"));
    expect(refused({ reducer, window: { contextTokens: 5 } })).toMatchObject({
      code: "WINDOW_TOO_SMALL",
    });
  });
});
