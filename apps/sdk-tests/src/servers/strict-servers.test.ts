import type { JsonObject } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { anthropicWire } from "./anthropic-wire.ts";
import { openaiChatWire } from "./openai-chat-wire.ts";
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
];

describe.each(servers)("$name", ({ wire, sound }) => {
  it("has at least 12 rules, each with the page that states it", () => {
    const rules = Object.values(wire.rules);
    expect(rules.length).toBeGreaterThanOrEqual(12);
    expect(rules.filter(({ page }) => !page.startsWith("https://"))).toEqual([]);
  });

  it("refuses a request for each of its rules, and names it with its page", async () => {
    await using server = await startStrictServer({ wire });
    for (const [rule, { page, refused }] of Object.entries(wire.rules)) {
      const response = await post(server.origin, wire.path, refused);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining(`${rule} (${page})`),
      ]);
    }
    expect(server.taken).toEqual([]);
    expect(server.refusals.map(({ rules }) => rules)).toEqual(
      Object.keys(wire.rules).map((rule) => [rule]),
    );
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

async function post(origin: string, path: string, body: JsonObject): Promise<Response> {
  return fetch(`${origin}${path}`, { method: "POST", body: JSON.stringify(body) });
}
