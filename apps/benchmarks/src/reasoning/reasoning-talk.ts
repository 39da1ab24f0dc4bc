import type { JsonObject } from "@agent-history/core";
import { anthropicWireOf } from "@agent-history/sdk-tests/servers/anthropic-wire";
import { openaiResponsesWire } from "@agent-history/sdk-tests/servers/openai-responses-wire";
import type { Wire, WireReply } from "@agent-history/sdk-tests/servers/wire";
import { modelCounter } from "@agent-history/tokens";
import { fitAnthropicRequest } from "agent-history/anthropic";
import type { AnthropicCompaction } from "agent-history/anthropic";
import { fitResponseItems } from "agent-history/openai";
import type { ReductionPlan } from "agent-history/openai";

import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { Trim } from "../systems/all-systems.ts";

const instructions = "You look things up and answer briefly.";
const schema = { type: "object", properties: { query: { type: "string" } } };
const about = "Looks something up.";

/** A provider's messages, and the server that judges them. */
export interface Dialect {
  readonly provider: string;
  readonly wire: Wire;
  readonly body: (messages: readonly JsonObject[]) => JsonObject;
  readonly asks: (text: string) => JsonObject;
  readonly result: (id: string, text: string) => JsonObject;
  /** The messages of an answer. */
  readonly answer: (answer: JsonObject) => readonly JsonObject[];
  /** The blocks of a message, each of which is counted. */
  readonly blocks: (message: JsonObject) => readonly JsonObject[];
  readonly ours: (contextTokens: number) => Trim;
  /** Ours, where the provider's own compaction takes the place of cuts. */
  readonly compacting?: (contextTokens: number) => Trim;
  readonly countText: (text: string) => number;
}

const CLAUDE = "claude-opus-5-5";
const claudeTools = [{ name: "look", description: about, input_schema: schema }];

/** Claude Opus 5.5 in an account whose thinking is bound, asked to drop what is not valid, so that a conversation goes on. */
export const anthropic: Dialect = {
  provider: "Anthropic",
  wire: anthropicWireOf({ isBinding: true }),
  body: (messages) => ({
    model: CLAUDE,
    max_tokens: 1024,
    betas: ["thinking-binding-controls-2026-08-01", "compact-2026-09-04"],
    thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    system: instructions,
    tools: claudeTools,
    messages,
  }),
  asks: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  result: (id, content) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  }),
  answer: ({ content = [] }) => [{ role: "assistant", content }],
  blocks: ({ content }) => (Array.isArray(content) ? objects(content) : []),
  ours: (contextTokens) => fitting(contextTokens),
  compacting: (contextTokens) =>
    fitting(contextTokens, (request) => {
      const body = { ...anthropic.body(objects(request.messages)), compaction: request.compaction };
      const text = prose(seededRandom(request.messages.length), 180);
      return { role: "assistant", ...anthropic.wire.write({ text }, "s", body) };
    }),
  countText: (text) => modelCounter(CLAUDE).countText(text),
};

/** Fits each request; where `summarize` is given, it answers as the API to a request for a summary. */
function fitting(
  contextTokens: number,
  summarize?: (request: AnthropicCompaction["request"]) => JsonObject & { readonly role: string },
): Trim {
  let previousPlan: ReductionPlan | undefined;
  return (messages) => {
    const options = {
      model: CLAUDE,
      window: { contextTokens },
      system: instructions,
      tools: claudeTools,
      previousPlan,
      ...(summarize && { compaction: "provider" as const }),
    };
    let fitted = fitAnthropicRequest(Object(messages), options);
    if (summarize !== undefined && fitted.compaction !== undefined) {
      const { request, before } = fitted.compaction;
      const compacted = { before, answer: summarize(request) };
      fitted = fitAnthropicRequest(Object(messages), { ...options, compacted });
    }
    previousPlan = fitted.plan;
    return objects(fitted.request.messages);
  };
}

const GPT = "gpt-6-astra";
const gptTools = [
  {
    type: "function" as const,
    name: "look",
    description: about,
    parameters: schema,
    strict: false,
  },
];

/** GPT-6 through the Responses API, which drops reasoning behind a changed prefix and says so. */
export const responses: Dialect = {
  provider: "OpenAI Responses",
  wire: openaiResponsesWire,
  body: (input) => ({ model: GPT, store: false, instructions, tools: gptTools, input }),
  asks: (content) => ({ role: "user", content }),
  result: (id, output) => ({ type: "function_call_output", call_id: id, output }),
  answer: ({ output }) => objects(output),
  blocks: (item) => [item],
  ours: (contextTokens) => {
    let previousPlan: ReductionPlan | undefined;
    return (items) => {
      const fitted = fitResponseItems(Object(items), {
        model: GPT,
        window: { contextTokens },
        instructions,
        tools: gptTools,
        previousPlan,
      });
      previousPlan = fitted.plan;
      return objects(fitted.items);
    };
  },
  countText: (text) => modelCounter(GPT).countText(text),
};

/** What a conversation is: one request and hundreds of tool rounds, or a question, up to three rounds and an answer at each turn. */
export type TalkKind = "tool loop" | "chat";

/** The model's answers and what is said to it, the same for every way. */
export function script(kind: TalkKind): (call: number) => {
  readonly asks?: string;
  readonly result: string;
  readonly reply: WireReply & { readonly thinking: string };
} {
  const random = seededRandom(11);
  let rounds = 0;
  return (call) => {
    const isNew = call === 0 || (kind === "chat" && rounds === 0);
    if (kind === "tool loop") rounds = 1;
    else rounds = isNew ? random.below(4) : rounds - 1;
    const isCall = rounds > 0;
    const thinking = `Thought ${call}: ${prose(random, 30 + random.below(150))}`;
    const query = prose(random, 5);
    return {
      ...(isNew && { asks: `Question ${call}: ${prose(random, 30)}` }),
      result: `Result ${call}: ${prose(random, 50 + random.below(350))}`,
      reply: isCall
        ? {
            thinking,
            calls: [{ id: `c${call}`, name: "look", arguments: JSON.stringify({ query }) }],
          }
        : { thinking, text: `Answer ${call}: ${prose(random, 90)}` },
    };
  };
}

/** The same list, as JSON: the types of SDKs are interfaces. */
function objects(list: unknown): readonly JsonObject[] {
  const json: readonly JsonObject[] = Object(list);
  return json;
}
