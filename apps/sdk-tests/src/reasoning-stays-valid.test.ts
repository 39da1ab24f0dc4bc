import { fitAnthropicRequest } from "@agent-history/anthropic";
import type { AnthropicMessage } from "@agent-history/anthropic";
import type { JsonObject, ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { modelCounter, modelWindow } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { anthropicWireOf } from "./servers/anthropic-wire.ts";

const MODEL = "claude-opus-5-5";
const counter = modelCounter(MODEL, { estimate: true });
const wire = anthropicWireOf({ isBinding: true });

/** Runs a conversation against a server that binds thinking; returns for each request how many blocks of thinking it had, and what the plan says. */
function converse(
  contextTokens: number,
  requests: number,
  say: (nth: number) => { readonly asked: AnthropicMessage; readonly reply: JsonObject },
): readonly { readonly sent: number; readonly reasoning: ReductionPlan["reasoning"] }[] {
  const messages: AnthropicMessage[] = [];
  let previousPlan: ReductionPlan | undefined;
  return Array.from({ length: requests }, (_, nth) => {
    const { asked, reply } = say(nth);
    messages.push(asked);
    const { request, plan } = fitAnthropicRequest(messages, {
      reducer: {
        name: "own",
        reduce: (entries, given) => fitToWindow(entries, { counter, ...given }),
      },
      window: { ...modelWindow(MODEL), contextTokens, outputReserveTokens: 2000 },
      system: "You book flights.",
      tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
      cache: {},
      previousPlan,
    });
    previousPlan = plan;
    const body = { model: MODEL, max_tokens: 2000, ...request } as unknown as JsonObject;
    expect(wire.problems(body)).toEqual([]);
    const { content } = wire.write({ thinking: `${nth} hm `.repeat(20), ...reply }, "m", body);
    messages.push({ role: "assistant", content } as unknown as AnthropicMessage);
    const blocks = request.messages.flatMap((one) =>
      Array.isArray(one.content) ? one.content : [],
    );
    const sent = blocks.filter(({ type }) => type === "thinking").length;
    return { sent, reasoning: plan.reasoning };
  });
}

describe("fitAnthropicRequest for a server that binds thinking to what stands before it", () => {
  it("keeps a chat of sixty turns valid through its cuts", () => {
    const rows = converse(20_000, 60, (nth) => ({
      asked: { role: "user", content: `${nth}: ${"which flights go to town? ".repeat(40)}` },
      reply: { text: "Two, at nine and at noon. ".repeat(60) },
    }));
    expect(rows.map(({ reasoning }) => reasoning?.valid.blocks)).toEqual(
      rows.map(({ sent }) => sent),
    );
    // Each call adds a block; only a cut takes them.
    const cuts = rows.filter(({ sent }, nth) => sent <= (rows[nth - 1]?.sent ?? -1));
    expect(cuts.length).toBeLessThan(15);
    expect(cuts.every(({ sent }) => sent === 0)).toBe(true);
  });

  it("keeps one request with 300 tool rounds valid", () => {
    const rows = converse(20_000, 300, (nth) => ({
      asked:
        nth === 0
          ? { role: "user", content: "Read all files." }
          : {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: `c${nth - 1}`, content: "line ".repeat(100) },
              ],
            },
      reply: { calls: [{ id: `c${nth}`, name: "read", arguments: `{"path":"${nth}"}` }] },
    }));
    const made = rows.length - 1;
    const last = rows.at(-1)?.reasoning;
    const left = last?.leftOut.reduce((sum, { blocks }) => sum + blocks, 0) ?? 0;
    expect((last?.valid.blocks ?? 0) + left + (last?.givenUp.blocks ?? 0)).toBe(made);
    const cuts = rows.filter(({ sent }, nth) => sent <= (rows[nth - 1]?.sent ?? -1));
    expect(cuts.length).toBeLessThan(35);
  });
});
