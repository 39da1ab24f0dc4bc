import {
  fitAnthropicRequest,
  fromAnthropicMessages,
  toAnthropicMessages,
} from "@agent-history/anthropic";
import type { AnthropicMessage, SyncReducer } from "@agent-history/anthropic";
import type { JsonObject, ReductionPlan } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";
import { modelCounter, modelWindow } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { anthropicWireOf } from "./servers/anthropic-wire.ts";

const MODEL = "claude-opus-5-5";
const counter = modelCounter(MODEL, { estimate: true });
const wire = anthropicWireOf({ isBinding: true });

interface Row {
  readonly sent: number;
  readonly reasoning: ReductionPlan["reasoning"];
  readonly body: JsonObject;
  /** Fits the same request of messages and a plan that come from elsewhere. */
  readonly again: (
    messages: readonly object[],
    previousPlan: ReductionPlan | undefined,
  ) => ReturnType<typeof fitAnthropicRequest>;
  readonly messages: readonly AnthropicMessage[];
  readonly previousPlan: ReductionPlan | undefined;
}

/** Runs a conversation against a server that binds thinking; returns for each request how many blocks of thinking it had, and what the plan says. */
function converse(
  contextTokens: number,
  requests: number,
  say: (nth: number) => { readonly asked: AnthropicMessage; readonly reply: JsonObject },
  compactAs?: (nth: number) => string | null,
): readonly Row[] {
  const messages: AnthropicMessage[] = [];
  let previousPlan: ReductionPlan | undefined;
  return Array.from({ length: requests }, (_, nth) => {
    const { asked, reply } = say(nth);
    messages.push(asked);
    const options = {
      reducer: {
        name: "own",
        reduce: (entries, given) => fitToWindow(entries, { counter, ...given }),
      } satisfies SyncReducer,
      window: { ...modelWindow(MODEL), contextTokens, outputReserveTokens: 2000 },
      system: "You book flights.",
      tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
      cache: {},
      previousPlan,
      ...(compactAs && { compaction: "provider" as const }),
    };
    let fitted = fitAnthropicRequest(messages, options);
    if (compactAs !== undefined && fitted.compaction !== undefined) {
      const { before, request: toSummarize } = fitted.compaction;
      const summarized = {
        model: MODEL,
        max_tokens: 2000,
        ...toSummarize,
      } as unknown as JsonObject;
      expect(wire.problems(summarized)).toEqual([]);
      const text = compactAs(nth);
      const answer = wire.write({ text: text ?? "" }, "s", summarized);
      const content = text === null ? [{ type: "compaction", content: null }] : answer["content"];
      const compacted = { before, answer: { role: "assistant", content } };
      fitted = fitAnthropicRequest(messages, { ...options, compacted });
    }
    const { request, plan } = fitted;
    const given = { messages: [...messages], previousPlan };
    const again: Row["again"] = (restored, plan_) =>
      fitAnthropicRequest(Object(restored), { ...options, previousPlan: plan_ });
    // A plan that was stored is the same plan.
    const stored = (): ReductionPlan => JSON.parse(JSON.stringify(plan)) as ReductionPlan;
    previousPlan = compactAs === undefined ? plan : stored();
    const body = { model: MODEL, max_tokens: 2000, ...request } as unknown as JsonObject;
    expect(wire.problems(body)).toEqual([]);
    const { content } = wire.write({ thinking: `${nth} hm `.repeat(20), ...reply }, "m", body);
    messages.push({ role: "assistant", content } as unknown as AnthropicMessage);
    const blocks = request.messages.flatMap((one) =>
      Array.isArray(one.content) ? one.content : [],
    );
    const sent = blocks.filter(({ type }) => type === "thinking").length;
    return { sent, reasoning: plan.reasoning, body, again, ...given };
  });
}

const CHAT = (nth: number) => ({
  asked: { role: "user", content: `${nth}: ${"which flights go to town? ".repeat(40)}` } as const,
  reply: { text: "Two, at nine and at noon. ".repeat(60) },
});

const LOOP = (nth: number) => ({
  asked: {
    role: "user",
    content:
      nth === 0
        ? "Read all files."
        : [
            {
              type: "tool_result" as const,
              tool_use_id: `c${nth - 1}`,
              content: "line ".repeat(100),
            },
          ],
  } as const,
  reply: { calls: [{ id: `c${nth}`, name: "read", arguments: `{"path":"${nth}"}` }] },
});

describe("fitAnthropicRequest for a server that binds thinking to what stands before it", () => {
  it("keeps a chat of sixty turns valid through its cuts", () => {
    const rows = converse(20_000, 60, CHAT);
    expect(rows.map(({ reasoning }) => reasoning?.valid.blocks)).toEqual(
      rows.map(({ sent }) => sent),
    );
    // Each call adds a block; only a cut takes them.
    const cuts = rows.filter(({ sent }, nth) => sent <= (rows[nth - 1]?.sent ?? -1));
    expect(cuts.length).toBeLessThan(15);
    expect(cuts.every(({ sent }) => sent === 0)).toBe(true);
  });

  it("keeps one request with 300 tool rounds valid", () => {
    const rows = converse(20_000, 300, LOOP);
    const made = rows.length - 1;
    const last = rows.at(-1)?.reasoning;
    const left = last?.leftOut.reduce((sum, { blocks }) => sum + blocks, 0) ?? 0;
    expect((last?.valid.blocks ?? 0) + left + (last?.givenUp.blocks ?? 0)).toBe(made);
    const cuts = rows.filter(({ sent }, nth) => sent <= (rows[nth - 1]?.sent ?? -1));
    expect(cuts.length).toBeLessThan(35);
  });

  it.each<[string, number, (nth: number) => ReturnType<typeof CHAT | typeof LOOP>]>([
    ["a chat", 60, CHAT],
    ["tool rounds of one request", 120, LOOP],
  ])("keeps the thinking of %s behind the API's own compactions", (_, calls, say) => {
    const rows = converse(
      20_000,
      calls,
      say,
      (nth) => `So far: ${nth} calls. ${"so ".repeat(200)}`,
    );
    expect(rows.map(({ reasoning }) => reasoning?.valid.blocks)).toEqual(
      rows.map(({ sent }) => sent),
    );
    const cuts = rows.filter(({ sent }, nth) => sent <= (rows[nth - 1]?.sent ?? -1));
    expect(cuts.length).toBeGreaterThan(2);
    expect(cuts.every(({ sent }) => sent > 0)).toBe(true);
    const last = rows.at(-1);
    expect(last?.body["betas"]).toEqual(["compact-2026-09-04"]);
    expect(JSON.stringify(last?.body["messages"])).toContain('"type":"compaction"');
    expect(last?.reasoning?.leftOut).toEqual([]);
  });

  it("cuts where the API wrote no summary", () => {
    const rows = converse(20_000, 40, CHAT, () => null);
    expect(rows.map(({ sent }) => sent)).toEqual(
      converse(20_000, 40, CHAT).map(({ sent }) => sent),
    );
  });

  it("goes on from a store with the same bytes", async () => {
    const rows = converse(20_000, 40, CHAT);
    const { body, again, messages, previousPlan } = rows.at(-1) ?? {};
    const store = memoryStore();
    await store.append("t", fromAnthropicMessages(messages ?? []), { expectedVersion: "none" });
    const saved = JSON.parse(JSON.stringify(previousPlan));
    await store.setState("t", "plan", saved, { expectedRevision: 0 });
    const { entries } = await store.read("t");
    const kept = await store.getState("t", "plan");
    const restored = toAnthropicMessages(entries);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(messages));
    const request = again?.(restored, kept?.value as unknown as ReductionPlan).request;
    expect(JSON.stringify(request?.messages)).toBe(JSON.stringify(body?.["messages"]));
  });
});
