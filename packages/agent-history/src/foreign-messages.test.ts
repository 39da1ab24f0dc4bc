import { describe, expect, it } from "vitest";

import * as aiSdk from "./ai-sdk.ts";
import * as anthropic from "./anthropic.ts";
import * as google from "./google.ts";
import * as langchain from "./langchain.ts";
import * as openai from "./openai.ts";

const { fitModelMessages } = aiSdk;
const { fitAnthropicRequest } = anthropic;
const { fitContents } = google;
const { fitMessages } = langchain;
const { fitChatMessages, fitResponseItems } = openai;
const asks = { role: "user", content: "Which flights?" };
const call = { id: "c1", type: "function", function: { name: "find", arguments: "{}" } };

/** A conversation in each format: what it is called, its messages, and the fit that takes it. */
const conversations: Readonly<Record<string, { readonly says: string; readonly all: unknown }>> = {
  fitChatMessages: {
    says: "chat messages",
    all: [
      asks,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "Two." },
    ],
  },
  fitResponseItems: {
    says: "items of the Responses API",
    all: [
      asks,
      { type: "function_call", call_id: "c1", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "Two." },
    ],
  },
  fitAnthropicRequest: {
    says: "Anthropic messages",
    all: [
      asks,
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "find", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "Two." }] },
    ],
  },
  fitModelMessages: {
    says: "model messages of the AI SDK",
    all: [
      asks,
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "find", input: {} }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "find",
            output: { type: "text", value: "Two." },
          },
        ],
      },
    ],
  },
  fitContents: {
    says: "Gemini contents",
    all: [
      { role: "user", parts: [{ text: "Which flights?" }] },
      { role: "model", parts: [{ text: "Two." }] },
      { role: "user", parts: [{ text: "When?" }] },
    ],
  },
  fitMessages: {
    says: "LangChain messages",
    all: [
      { type: "human", content: "Which flights?" },
      { type: "ai", content: "", tool_calls: [{ id: "c1", name: "find", args: {} }] },
      { type: "tool", tool_call_id: "c1", content: "Two." },
    ],
  },
  none: {
    says: "UI messages of the AI SDK",
    all: [{ id: "1", role: "user", parts: [{ type: "text", text: "Which flights?" }] }],
  },
};

/** The entry of `agent-history` that exports each fit. */
const entryOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ "ai-sdk": aiSdk, anthropic, google, langchain, openai }).flatMap(
    ([entry, all]) => Object.keys(all).map((exported) => [exported, entry]),
  ),
);

type Fit = (messages: never, options: never) => unknown;
const fits: Readonly<Record<string, Fit>> = {
  fitChatMessages,
  fitResponseItems,
  fitAnthropicRequest,
  fitModelMessages,
  fitContents,
  fitMessages: fitMessages,
};
const options = { model: "gpt-5", window: { contextTokens: 1000 } };

function fitAs(name: string, messages: unknown, given: unknown = options): unknown {
  return fits[name]?.(messages as never, given as never);
}

describe.each(Object.keys(fits))("%s", (name) => {
  // LangChain accepts chat messages as plain objects.
  const isTaken = (own: string): boolean =>
    own === name || (name === "fitMessages" && own === "fitChatMessages");

  it.each(Object.entries(conversations).filter(([own]) => !isTaken(own)))(
    "refuses what %s takes, and names the function that takes it",
    (own, { says, all }) => {
      const use = own === "none" ? "fitModelMessages" : own;
      const advice = `Use \`${use}\` of agent-history/${entryOf[use]}`;
      const refused = (message: string) =>
        expect.objectContaining({
          code: "INVALID_ENTRY",
          message: expect.stringContaining(message),
        });
      expect(() => fitAs(name, all)).toThrow(refused(`got ${says} at index`));
      expect(() => fitAs(name, all)).toThrow(refused(advice));
    },
  );

  it.each(Object.keys(conversations).filter(isTaken))("takes what %s takes", (own) => {
    expect(fitAs(name, conversations[own]?.all)).toMatchObject({ plan: { repairs: [] } });
  });

  it("takes its own with a message of another format among them, repaired", () => {
    const own = conversations[name]?.all as readonly unknown[];
    for (const { all } of Object.values(conversations)) {
      const [, other = asks] = all as readonly unknown[];
      expect(fitAs(name, [...own, other])).toHaveProperty("plan");
    }
  });

  it.each([[undefined], [null], ["a text"], [7], [{ messages: [] }]])(
    "refuses %j in the place of messages",
    (given) => {
      expect(() => fitAs(name, given)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    },
  );

  it.each([[undefined], [null], ["a text"], [7], [[]]])(
    "refuses %j in the place of a message",
    (one) => {
      expect(() => fitAs(name, [one])).toThrow(expect.objectContaining({ code: "INVALID_ENTRY" }));
    },
  );

  it.each([[7], [true], [{ text: "a" }]])("refuses %j in the place of a content", (content) => {
    expect(() => fitAs(name, [{ role: "user", content }])).toThrow(
      expect.objectContaining({ code: "INVALID_ENTRY" }),
    );
  });

  it.each([[null], [7], ["plan"], [{}], [{ decisions: 1 }]])(
    "refuses %j as the plan of the previous call",
    (previousPlan) => {
      expect(() => fitAs(name, [], { ...options, previousPlan })).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    },
  );

  it.each([[undefined], [null]])("refuses %j in the place of options", (given) => {
    const fit: Fit = fits[name] ?? fitChatMessages;
    expect(() => fit([] as never, given as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});

const parameters = { type: "object" };

/** A tool in the shape of each API, and the fits that take it. */
const tools: readonly (readonly [says: string, tool: object, by: readonly string[]])[] = [
  [
    "chat completions",
    { type: "function", function: { name: "f", parameters } },
    ["fitChatMessages"],
  ],
  [
    "the Responses API",
    { type: "function", name: "f", parameters },
    ["fitResponseItems", "fitContents"],
  ],
  ["Anthropic", { name: "f", input_schema: parameters }, ["fitAnthropicRequest"]],
  ["Anthropic", { type: "web_search_20250305", name: "web_search" }, ["fitAnthropicRequest"]],
  ["Gemini", { functionDeclarations: [{ name: "f", parameters }] }, ["fitContents"]],
];

describe.each(["fitChatMessages", "fitResponseItems", "fitAnthropicRequest", "fitContents"])(
  "tools of %s",
  (name) => {
    it.each(tools)("are those of %s or refused by name: %j", (says, tool, by) => {
      const fit = (): unknown => fitAs(name, [asksOf(name)], { ...options, tools: [tool] });
      if (by.includes(name)) {
        expect(fit()).toHaveProperty("plan");
        return;
      }
      expect(fit).toThrow(
        expect.objectContaining({
          code: "INVALID_OPTION",
          message: expect.stringContaining(`got tools of ${says}`),
        }),
      );
    });
  },
);

function asksOf(name: string): object {
  return name === "fitContents" ? { role: "user", parts: [{ text: "Which flights?" }] } : asks;
}
