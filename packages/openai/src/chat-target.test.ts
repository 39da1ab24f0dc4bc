import {
  action,
  assistantMessage,
  observation,
  repairHistory,
  userMessage,
} from "@agent-history/core";
import { fitForTarget, repairFor } from "@agent-history/format-kit";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { tiktokenCounter } from "@agent-history/tokens";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chatTarget, checkChatMessages, fromChatMessages, toChatMessages } from "./index.ts";

const imageTokens = 5000;
const counter = tiktokenCounter({ encoding: "o200k_base", imageTokens: () => imageTokens });
const image = { type: "image", source: { kind: "url", url: "https://a.example/p.png" } } as const;

describe("chatTarget", () => {
  it("repairs once, lists what it changed, and returns what OpenAI takes by identity", () => {
    fc.assert(
      fc.property(arbitraryHistory(), (history) => {
        const { entries } = repairHistory(history);
        const once = repairFor(chatTarget(), entries, {});
        const twice = repairFor(chatTarget(), once.entries, {});

        expect(once.entries === entries).toBe(once.repairs.length === 0);
        expect(twice).toEqual({ entries: once.entries, repairs: [] });
        expect(twice.entries).toBe(once.entries);
        expect(checkChatMessages(toChatMessages(once.entries))).toEqual([]);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("counts what is written: a line for an image of an answer, an image that a tool gave once", () => {
    const call = { id: "c1", name: "look", arguments: "{}" };
    const result = {
      callId: "c1",
      toolName: "look",
      outcome: "success",
      content: [image],
    } as const;
    const entries = [
      userMessage({ content: "Look." }),
      action({ toolCalls: [call] }),
      observation(result),
      assistantMessage({ content: [{ type: "text", text: "Here." }, image] }),
      userMessage({ content: "Thanks." }),
    ];
    const request = { window: { contextTokens: 8000 }, counter };
    const { plan, entries: fitted } = fitForTarget(chatTarget(), entries, request, fitToWindow);
    const written = fromChatMessages(toChatMessages(fitted));
    const whole = fitToWindow(written, request).plan.totalTokens;

    expect(plan.repairs).toEqual([
      { kind: "format", rule: "media-in-result", entryId: entries[2]?.id },
    ]);
    expect(plan.totalTokens).toBeLessThan(2 * imageTokens);
    expect(plan.totalTokens).toBeGreaterThanOrEqual(whole);
    expect(plan.totalTokens - whole).toBeLessThan(20);
  });

  it("continues the plan of a history that it repairs at each call", () => {
    const entries = [
      userMessage({ id: "u1", content: "Look." }),
      action({ id: "a1", toolCalls: [{ id: "c1", name: "look", arguments: "{}" }] }),
      observation({
        id: "o1",
        callId: "c1",
        toolName: "look",
        outcome: "success",
        content: [image],
      }),
      userMessage({ id: "u2", content: "And?" }),
    ];
    const request = { window: { contextTokens: 8000 }, counter };
    const first = fitForTarget(chatTarget(), entries, request, fitToWindow);
    const more = [...entries, userMessage({ id: "u3", content: "Well?" })];
    const next = { ...request, previousPlan: first.plan };
    const second = fitForTarget(chatTarget(), more, next, fitToWindow);

    expect(second.plan.continued?.stoppedBy).toBeUndefined();
    expect(second.plan.continued).toBeDefined();
    expect(second.plan.repairs).toEqual(first.plan.repairs);
  });
});
