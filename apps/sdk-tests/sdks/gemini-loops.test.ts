import type { JsonObject, ReductionPlan } from "@agent-history/core";
import { fitContentsAsync, fitInteractionStepsAsync } from "@agent-history/google";
import { fitMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { GoogleGenAI } from "@google/genai";
import type { Content, Interactions, Part } from "@google/genai";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { scriptedModel, toolResult } from "../src/loops/scripted-model.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { interactionsWire } from "../src/servers/interactions-wire.ts";
import type { WireReply } from "../src/servers/wire.ts";
import {
  contextTokens,
  counters,
  instructions as systemInstruction,
  runLoop,
} from "./test-support/run-loop.ts";

const counter = counters.gemini;
const parametersJsonSchema = { type: "object", properties: { to: { type: "string" } } };
const tools = [
  { functionDeclarations: [{ name: "find", description: "Finds flights.", parametersJsonSchema }] },
];
const model = "gemini-3-pro";

describe("a loop of 50 turns with tools through @google/genai", () => {
  it.each([
    ["whole", false],
    ["streamed", true],
  ])("has no request refused, and none over the window, answers %s", async (_, isStreamed) => {
    const start = (origin: string) => {
      const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: origin } });
      const ask = async (contents: Content[]): Promise<Part[]> => {
        const request = { model, contents, config: { systemInstruction, tools } };
        if (!isStreamed) {
          const { candidates } = await ai.models.generateContent(request);
          return candidates?.[0]?.content?.parts ?? [];
        }
        const parts: Part[] = [];
        for await (const { candidates } of await ai.models.generateContentStream(request)) {
          parts.push(...(candidates?.[0]?.content?.parts ?? []));
        }
        return parts;
      };
      const reducer = createReducer({ counter });
      const conversation: Content[] = [];
      let previousPlan: ReductionPlan | undefined;
      return async (asked: string) => {
        conversation.push({ role: "user", parts: [{ text: asked }] });
        for (let isDone = false; !isDone;) {
          const { contents, plan } = await fitContentsAsync(conversation, {
            reducer,
            window: { contextTokens },
            systemInstruction,
            tools,
            model,
            previousPlan,
          });
          expect(plan.repairs).toEqual([]);
          previousPlan = plan;
          const parts = await ask(contents);
          conversation.push({ role: "model", parts });
          const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
          if (calls.length > 0) {
            const responses = calls.map(({ id = "", name = "" }) => ({
              functionResponse: { id, name, response: { output: toolResult(id) } },
            }));
            conversation.push({ role: "user", parts: responses });
          }
          isDone = calls.length === 0;
        }
      };
    };
    await runLoop({ wire: geminiWire, counter, start });
  });
});

describe("a loop of 50 turns with tools through the Interactions API of @google/genai", () => {
  it.each([
    ["whole", false],
    ["streamed", true],
  ])("has no request refused, and none over the window, answers %s", async (_, isStreamed) => {
    const start = (origin: string) => {
      const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: origin } });
      const interactionTools: Interactions.Tool[] = [
        { type: "function", name: "find", description: "Finds.", parameters: parametersJsonSchema },
      ];
      const ask = async (input: Interactions.Step[]): Promise<readonly Interactions.Step[]> => {
        const request = {
          model,
          input,
          store: false,
          system_instruction: systemInstruction,
          tools: interactionTools,
          automatic_continuation: false,
        };
        if (!isStreamed) return (await ai.interactions.create(request)).steps ?? [];
        return streamedSteps(await ai.interactions.create({ ...request, stream: true }));
      };
      const reducer = createReducer({ counter });
      const steps: Interactions.Step[] = [];
      let previousPlan: ReductionPlan | undefined;
      return async (asked: string) => {
        steps.push({ type: "user_input", content: [{ type: "text", text: asked }] });
        for (let isDone = false; !isDone;) {
          const fitted = await fitInteractionStepsAsync(steps, {
            reducer,
            window: { contextTokens },
            systemInstruction,
            tools: interactionTools,
            model,
            previousPlan,
          });
          expect(fitted.plan.repairs).toEqual([]);
          previousPlan = fitted.plan;
          const answer = await ask(fitted.input);
          steps.push(...answer);
          const calls = answer.filter((step) => step.type === "function_call");
          for (const { id, name } of calls) {
            steps.push({ type: "function_result", call_id: id, name, result: toolResult(id) });
          }
          isDone = calls.length === 0;
        }
      };
    };
    await runLoop({ wire: interactionsWire, counter, start });
  });
});

/** Puts the pieces of a stream together, as a program does that keeps the steps itself. */
async function streamedSteps(
  events: AsyncIterable<Interactions.InteractionSSEEvent>,
): Promise<readonly Interactions.Step[]> {
  const steps: Interactions.Step[] = [];
  for await (const event of events) {
    if (event.event_type === "step.start") steps.push(event.step);
    if (event.event_type !== "step.delta") continue;
    const step = steps.at(-1);
    const { delta } = event;
    if (delta.type === "thought_signature" && step?.type === "thought") {
      step.signature = delta.signature;
    } else if (delta.type === "arguments_delta" && step?.type === "function_call") {
      step.arguments = JSON.parse(delta.arguments ?? "{}");
    } else if (delta.type === "text" && step?.type === "model_output") {
      const [said] = step.content ?? [];
      const before = said?.type === "text" ? said.text : "";
      step.content = [{ type: "text", text: before + delta.text }];
    }
  }
  return steps;
}

describe("a loop of 50 turns with tools through LangChain's ChatGoogleGenerativeAI", () => {
  it("has no request refused, and none over the window", async () => {
    const start = (origin: string) => {
      const find = tool(({ to }) => toolResult(to), {
        name: "find",
        description: "Finds flights.",
        schema: z.object({ to: z.string() }),
      });
      const agent = createAgent({
        model: new ChatGoogleGenerativeAI({
          model,
          apiKey: "none",
          baseUrl: origin,
          maxRetries: 0,
        }),
        tools: [find],
        systemPrompt: systemInstruction,
        middleware: [
          fitMiddleware({ reducer: createReducer({ counter }), window: { contextTokens } }),
        ],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: "t1" } };
      return async (asked: string) => {
        await agent.invoke({ messages: [{ role: "user", content: asked }] }, config);
      };
    };
    await runLoop({ wire: geminiWire, counter, reply: oneCall, start });
  });
});

/** LangChain writes each result of parallel calls as a content of its own, which is not documented to be taken. */
function oneCall(body: JsonObject, index: number): WireReply {
  const { calls, ...said } = scriptedModel(body, index);
  return calls === undefined ? said : { ...said, calls: calls.slice(0, 1) };
}
