import type { JsonObject } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { anthropicWire } from "./anthropic-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { interactionsWire } from "./interactions-wire.ts";
import { chatWireOf, openaiChatWire } from "./openai-chat-wire.ts";
import { openaiResponsesWire } from "./openai-responses-wire.ts";
import { startStrictServer } from "./start-strict-server.ts";
import type { Wire } from "./wire.ts";

const user = { role: "user", content: "Which flights?" };

const servers: readonly { name: string; wire: Wire; sound: JsonObject }[] = [
  {
    name: "anthropicWire",
    wire: anthropicWire,
    sound: { model: "m", max_tokens: 64, messages: [user] },
  },
  { name: "openaiChatWire", wire: openaiChatWire, sound: { model: "m", messages: [user] } },
  { name: "openaiResponsesWire", wire: openaiResponsesWire, sound: { model: "m", input: [user] } },
  {
    name: "geminiWire",
    wire: geminiWire,
    sound: { model: "gemini-3-pro", contents: [{ role: "user", parts: [{ text: user.content }] }] },
  },
  {
    name: "interactionsWire",
    wire: interactionsWire,
    sound: {
      model: "gemini-3-pro",
      input: [{ type: "user_input", content: [{ type: "text", text: user.content }] }],
    },
  },
];

describe.each(servers)("$name", ({ wire, sound }) => {
  it("has at least 12 rules, each with its source and the answer of the provider", () => {
    const rules = Object.values(wire.rules);
    expect(rules.length).toBeGreaterThanOrEqual(12);
    expect(rules.filter(({ source }) => !source.startsWith("https://"))).toEqual([]);
    expect(rules.filter(({ answer }) => answer.length < 20)).toEqual([]);
  });

  it("refuses a request for each of its rules by this rule alone, as the provider answers", async () => {
    await using server = await startStrictServer({ wire });
    for (const { answer, refused } of Object.values(wire.rules)) {
      const response = await post(server.origin, wire.path, refused);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(JSON.stringify(answer).slice(1, -1));
    }
    expect(server.taken).toEqual([]);
    for (const [nth, rule] of Object.keys(wire.rules).entries()) {
      const { rules = [] } = server.refusals[nth] ?? {};
      expect(rules).toContain(rule);
      // A shape may be wrong at two places, as of a call and its result.
      expect(rules.filter((one) => one !== rule && !one.includes("."))).toEqual([]);
    }
  });

  it("refuses half a surrogate pair, which no JSON in UTF-8 holds", () => {
    const half: JsonObject = JSON.parse(JSON.stringify(sound).replace("flights", "\\ud83d"));
    expect(wire.problems(half)).toEqual(["half-surrogate"]);
  });

  it("refuses what is larger than its window, and counts what it takes", async () => {
    const countText = (text: string): number => text.length;
    const size = user.content.length + 6;
    await using small = await startStrictServer({
      wire,
      window: { contextTokens: size - 1, countText },
    });
    await using large = await startStrictServer({
      wire,
      window: { contextTokens: size + 3, countText },
    });
    expect((await post(small.origin, wire.path, sound)).status).toBe(400);
    expect(small.refusals).toEqual([{ rules: ["context-window"], body: sound }]);
    expect((await post(large.origin, wire.path, sound)).status).toBe(200);
    expect(large.taken).toEqual([sound]);
    expect(large.tokens[0]).toBeGreaterThanOrEqual(size);
  });

  it("speaks one path only", async () => {
    await using server = await startStrictServer({ wire });
    expect((await post(server.origin, "/v1/models", sound)).status).toBe(404);
  });
});

describe("chatWireOf", () => {
  it.each(["vllm", "mistral", "deepseek", "groq", "openrouter", "gemini"] as const)(
    "refuses on %s what breaks a rule of that host, and takes a plain chat with calls",
    (host) => {
      const wire = chatWireOf(host);
      for (const [rule, { refused }] of Object.entries(wire.rules)) {
        expect(wire.problems(refused)).toContain(rule);
      }
      const call = { id: "abcdefgh1", type: "function", function: { name: "f", arguments: "{}" } };
      const signed = { google: { thought_signature: "s" } };
      const sound = [
        user,
        {
          role: "assistant",
          content: "",
          tool_calls: [{ ...call, ...(host === "gemini" && { extra_content: signed }) }],
        },
        { role: "tool", tool_call_id: "abcdefgh1", content: "Two." },
        { role: "assistant", content: "Two fly." },
        user,
      ];
      expect(wire.problems({ model: "gemini-3-pro", messages: sound })).toEqual([]);
    },
  );
});

async function post(origin: string, path: string, body: JsonObject): Promise<Response> {
  return fetch(`${origin}${path}`, { method: "POST", body: JSON.stringify(body) });
}
