import { isHistoryError } from "@agent-history/core";
import type { Reducer, ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fitMiddleware } from "./fit-middleware.ts";
import type { HistoryMiddleware, ModelRequestLike } from "./middleware.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const reducer = createReducer({ counter });
const window = { contextTokens: 300 };
const messages = Array.from({ length: 30 }, (_, turn) => [
  { type: "human", content: `Question ${turn}: which flights go to Rome?` },
  { type: "ai", content: `Answer ${turn}: two, at nine and at noon.` },
])
  .flat()
  .concat([{ type: "human", content: "Take the first." }]);

/** Calls as an agent does, and returns what was sent and what the agent keeps. */
async function callModel(middleware: HistoryMiddleware, request: ModelRequestLike) {
  let sent: readonly object[] = [];
  const answer = { type: "ai", content: "Taken." };
  const given = await middleware.wrapModelCall(request, async (asked) => {
    sent = asked.messages;
    return answer;
  });
  return { sent, answer, state: stateOf(given) ?? request.state };
}

/** What LangGraph writes of what a middleware returns. */
function stateOf(given: object): object | undefined {
  const writes: unknown = Reflect.get(given, "_updateAsTuples");
  const tuples: unknown = typeof writes === "function" ? Reflect.apply(writes, given, []) : [];
  const all = Array.isArray(tuples) ? tuples : [];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

describe("fitMiddleware", () => {
  it("sends what fits, the same message objects, and nothing of the agent's changes", async () => {
    const before = JSON.stringify(messages);
    const { sent } = await callModel(fitMiddleware({ reducer, window }), { messages });

    expect(sent.length).toBeGreaterThan(1);
    expect(sent.length).toBeLessThan(messages.length);
    expect(sent.at(-1)).toBe(messages.at(-1));
    expect(JSON.stringify(messages)).toBe(before);
  });

  it("continues the plan that the agent's state has, in any process", async () => {
    const plans: ReductionPlan[] = [];
    const options = { reducer, window, onPlan: (plan: ReductionPlan) => void plans.push(plan) };
    const first = await callModel(fitMiddleware(options), { messages });
    const grown = [...messages, first.answer, { type: "human", content: "And back?" }];
    const state = JSON.parse(JSON.stringify(first.state));
    const second = await callModel(fitMiddleware(options), { messages: grown, state });

    expect(Object.keys(state)).toEqual(["_agentHistoryPlan"]);
    expect(plans[1]?.continued).toBeDefined();
    expect(second.sent.slice(0, first.sent.length)).toEqual(first.sent);
  });

  it("counts the system message and the tools, and sends neither among the messages", async () => {
    const plans: ReductionPlan[] = [];
    const roomy = { contextTokens: 5000 };
    const options = {
      reducer,
      window: roomy,
      onPlan: (plan: ReductionPlan) => void plans.push(plan),
    };
    const middleware = fitMiddleware(options);
    const tools = [{ name: "find", description: "Finds flights.", schema: { type: "object" } }];
    const systemMessage = { type: "system", content: "You book flights." };
    const bare = await callModel(middleware, { messages });
    const whole = await callModel(middleware, { messages, systemMessage, tools });
    await callModel(middleware, { messages, systemMessage: { type: "system", content: "" } });

    expect(whole.sent).toEqual(bare.sent);
    const [without = 0, withBoth = 0, withEmpty] = plans.map(({ totalTokens }) => totalTokens);
    expect(withBoth).toBeGreaterThan(
      without + counter.countText("You book flights.Finds flights."),
    );
    expect(withEmpty).toBe(without);
  });

  it("lets the model convert tools, and counts the schema of a structured answer", async () => {
    const asked: unknown[] = [];
    const own: Reducer = {
      name: "own",
      reduce: (entries, { tools }) => {
        asked.push(tools);
        return { entries, plan: {} as never };
      },
    };
    const parameters = { type: "object", properties: { to: { type: "string" } } };
    const model = {
      bindTools: () => ({
        config: { tools: [{ type: "function", function: { name: "find", parameters } }] },
      }),
    };
    // A schema that only LangChain can convert.
    const tools = [{ name: "find", schema: { _def: { typeName: "ZodObject" }, "~standard": {} } }];
    const responseFormat = { schema: { type: "object", title: "flight" } };
    const middleware = fitMiddleware({ reducer: own, window });
    await callModel(middleware, { messages, model, tools, responseFormat });
    await callModel(middleware, { messages, model, tools: [...tools], responseFormat });

    const definitions = [
      { name: "find", parameters },
      { name: "response", parameters: responseFormat.schema },
    ];
    expect(asked).toEqual([definitions, definitions]);
    const unknown = fitMiddleware({ reducer: own, window });
    await expect(callModel(unknown, { messages, tools })).rejects.toSatisfy((error: unknown) =>
      isHistoryError(error, "INVALID_OPTION"),
    );
  });

  it("keeps a plan where room was made, and decides from it what later calls were sent", async () => {
    const kept: number[] = [];
    let state: object | undefined;
    let before: readonly object[] = [];
    let cuts = 0;
    const all: { type: string; content: string }[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      all.push({ type: "human", content: `Question ${turn}: which flights go to Rome?` });
      // Another process for each call.
      const middleware = fitMiddleware({ reducer, window });
      const stored = state && JSON.parse(JSON.stringify(state));
      const called = await callModel(middleware, {
        messages: all,
        state: stored,
      });
      const isPrefix = before.every((message, index) => message === called.sent[index]);
      if (!isPrefix) cuts += 1;
      if (called.state !== stored) kept.push(turn);
      else expect(isPrefix).toBe(true);
      state = called.state;
      before = called.sent;
      all.push({ type: "ai", content: `Answer ${turn}: two, at nine and at noon.` });
    }
    expect(cuts).toBeGreaterThan(3);
    expect(kept).toHaveLength(cuts + 1);
  });

  it("gives a structured answer as it is, and of a step that calls twice keeps the last plan", async () => {
    const middleware = fitMiddleware({ reducer, window });
    const answer = { type: "ai", content: "{}" };
    const structured = { structuredResponse: {}, messages: [answer] };

    expect(await middleware.wrapModelCall({ messages }, () => structured)).toBe(structured);
    expect(await middleware.wrapModelCall({ messages }, () => "no message")).toBe("no message");
    const first: object = await middleware.wrapModelCall({ messages }, () => answer);
    const second: object = await middleware.wrapModelCall({ messages }, () => answer);
    expect([stateOf(first), stateOf(second)]).toEqual([undefined, expect.anything()]);
  });

  it("refuses to be made without a reducer or a window", () => {
    for (const wrong of [{ window }, { reducer }, {}]) {
      expect(() => fitMiddleware(wrong as never)).toThrow(
        expect.toSatisfy((error: unknown) => isHistoryError(error, "INVALID_OPTION")),
      );
    }
  });
});
