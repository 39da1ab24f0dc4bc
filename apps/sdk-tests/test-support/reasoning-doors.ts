import type { JsonObject } from "@agent-history/core";
import { fitAnthropicRequest } from "agent-history/anthropic";
import { fitResponseItems } from "agent-history/openai";
import type { ReductionPlan } from "agent-history/openai";

import { anthropicWireOf } from "../src/servers/anthropic-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { objectsAt } from "../src/servers/read-wire.ts";
import type { Wire, WireReply } from "../src/servers/wire.ts";

/** What a request is made of beside its messages. */
export interface Asked {
  readonly model: string;
  readonly contextTokens: number;
  readonly system: string;
  readonly tools: readonly string[];
  readonly previousPlan: ReductionPlan | undefined;
}

/** A provider that binds reasoning, and our way to it. */
export interface ReasoningDoor {
  readonly name: string;
  readonly wire: Wire;
  readonly models: readonly string[];
  readonly asks: (text: string) => JsonObject;
  readonly result: (id: string, text: string) => JsonObject;
  readonly isQuestion: (message: JsonObject) => boolean;
  readonly isResult: (message: JsonObject) => boolean;
  /** The ids of the calls in a message. */
  readonly calls: (message: JsonObject) => readonly string[];
  /** Fits the messages and sends them; the model answers by the reply. */
  readonly send: (
    messages: readonly JsonObject[],
    asked: Asked,
    reply: WireReply,
    id: string,
  ) => Promise<Sent>;
}

/** A request as it was sent, its plan, and the messages of its answer. */
export interface Sent {
  readonly body: JsonObject;
  readonly plan: ReductionPlan;
  readonly answered: readonly JsonObject[];
}

const about = "Looks something up.";
const schema = { type: "object", properties: { to: { type: "string" } } };

const anthropic: ReasoningDoor = {
  name: "fitAnthropicRequest",
  wire: anthropicWireOf({ isBinding: true }),
  models: ["claude-opus-5-5", "claude-fable-5-2", "claude-sonnet-5-5"],
  asks: (content) => ({ role: "user", content }),
  result: (id, content) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  }),
  isQuestion: isQuestionText,
  isResult: ({ content }) => JSON.stringify(content ?? "").startsWith('[{"type":"tool_result"'),
  calls: (message) =>
    objectsAt(message, "content").flatMap(({ type, id }) =>
      type === "tool_use" && typeof id === "string" ? [id] : [],
    ),
  send: async (messages, { tools, ...asked }, reply, id) => {
    const listed = tools.map((name) => ({ name, description: about, input_schema: schema }));
    const { request, plan } = fitAnthropicRequest(Object(messages), {
      ...asked,
      window: { contextTokens: asked.contextTokens },
      tools: listed,
      cache: {},
    });
    const body = bodyOf({ max_tokens: 1, model: asked.model, ...request });
    const { content = [] } = anthropic.wire.write(reply, id, body);
    return { plan, body, answered: [{ role: "assistant", content }] };
  },
};

const responses: ReasoningDoor = {
  name: "fitResponseItems",
  wire: openaiResponsesWire,
  models: ["gpt-6-astra", "gpt-6.2-sol"],
  asks: (content) => ({ role: "user", content }),
  result: (id, output) => ({ type: "function_call_output", call_id: id, output }),
  isQuestion: isQuestionText,
  isResult: ({ type }) => type === "function_call_output",
  calls: ({ type, call_id: id }) =>
    type === "function_call" && typeof id === "string" ? [id] : [],
  send: async (items, { tools, system: instructions, ...asked }, reply, id) => {
    const listed = tools.map((name) => {
      return {
        type: "function" as const,
        name,
        description: about,
        parameters: schema,
        strict: false,
      };
    });
    const fitted = fitResponseItems(Object(items), {
      ...asked,
      window: { contextTokens: asked.contextTokens },
      tools: listed,
      instructions,
    });
    const { model } = asked;
    const body = bodyOf({ model, store: false, instructions, tools: listed, input: fitted.items });
    const answered = objectsAt(responses.wire.write(reply, id, body), "output");
    return { plan: fitted.plan, body, answered };
  },
};

/** Where room must be made, the API is asked for a summary, and every third time writes none. */
const compacting: ReasoningDoor = {
  ...anthropic,
  name: "fitAnthropicRequest with the API's compaction",
  send: async (messages, { tools, ...asked }, reply, id) => {
    const options = {
      ...asked,
      window: { contextTokens: asked.contextTokens },
      tools: tools.map((name) => ({ name, description: about, input_schema: schema })),
      compaction: "provider",
    } as const;
    const { wire } = anthropic;
    let fitted = fitAnthropicRequest(Object(messages), options);
    if (fitted.compaction !== undefined) {
      const { before, request } = fitted.compaction;
      const asks = bodyOf({ max_tokens: 1, model: asked.model, ...request });
      const isRefused = wire.thoughts?.(asks).some(({ fate }) => fate === "refused") === true;
      const problems = wire.problems(asks).join(", ");
      if (isRefused || problems !== "") throw new Error(`A compaction is refused: ${problems}`);
      const isWritten = messages.length % 3 > 0;
      const summary = wire.write({ text: `So far ${id}: ${"flights, ".repeat(20)}` }, id, asks);
      const failed = { content: [{ type: "compaction", content: null }] };
      const answer = { role: "assistant", ...(isWritten ? summary : failed) };
      fitted = fitAnthropicRequest(Object(messages), {
        ...options,
        compacted: { before, answer },
      });
    }
    const body = bodyOf({ max_tokens: 1, model: asked.model, ...fitted.request });
    const { content = [] } = wire.write(reply, id, body);
    return { plan: fitted.plan, body, answered: [{ role: "assistant", content }] };
  },
};

export const reasoningDoors: readonly ReasoningDoor[] = [anthropic, compacting, responses];

function isQuestionText({ role, content }: JsonObject): boolean {
  return role === "user" && typeof content === "string";
}

function bodyOf(request: object): JsonObject {
  const body: JsonObject = JSON.parse(JSON.stringify(request));
  return body;
}
