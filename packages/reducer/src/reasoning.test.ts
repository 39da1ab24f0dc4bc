import {
  action,
  assistantMessage,
  observation,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";

const reasoning = { binds: "refuse", reader: "claude-opus-5-5" } as const;

function options(contextTokens: number, previousPlan?: ReductionPlan): FitOptions {
  return { counter, window: { contextTokens, reasoning }, firstRequestShare: 0, previousPlan };
}

function turn(nth: number, thought: number, answer = 100): readonly HistoryEntry[] {
  return [
    userMessage({ id: `u${nth}`, content: "q".repeat(20) }),
    assistantMessage({
      id: `a${nth}`,
      content: [
        { type: "reasoning", text: "t".repeat(thought), data: { signature: `s${nth}` } },
        { type: "text", text: "a".repeat(answer) },
      ],
    }),
  ];
}

const question = userMessage({ id: "q", content: "q".repeat(20) });

function thinkers(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap(({ id, content }) =>
    Array.isArray(content) && content.some(({ type }) => type === "reasoning") ? id : [],
  );
}

describe("fitToWindow for a family that binds reasoning", () => {
  const chat = [1, 2, 3, 4].flatMap((nth) => turn(nth, 400));

  it("leaves out the oldest reasoning first, and nothing else", () => {
    const { plan: first } = fitToWindow(chat, options(2700));
    const log = [...chat, ...turn(5, 400), question];
    const { entries, plan } = fitToWindow(log, options(2700, first));
    expect(entries.map(({ id }) => id)).toEqual(log.map(({ id }) => id));
    expect(thinkers(entries)).toEqual(["a4", "a5"]);
    expect(plan.decisions[1]).toMatchObject({
      action: { kind: "edit", edit: { withoutReasoning: "room" } },
      step: "leave-out-reasoning",
      reason: "the oldest reasoning",
    });
    expect(plan.reasoning).toMatchObject({
      valid: { blocks: 2 },
      leftOut: [{ reason: "room", blocks: 3 }],
      givenUp: { blocks: 0, tokens: 0 },
    });
    // Only appended until the window is full again.
    const next = fitToWindow([...log, ...turn(6, 10, 10)], options(2700, plan));
    expect(thinkers(next.entries)).toEqual(["a4", "a5", "a6"]);
    expect(next.entries.slice(0, entries.length)).toEqual(entries);
  });

  it("sends what a cut keeps without its reasoning, if the oldest reasoning is too little", () => {
    const talk = [1, 2, 3, 4].flatMap((nth) => turn(nth, 20, 400));
    const { plan: first } = fitToWindow(talk, options(2600));
    const log = [...talk, ...turn(5, 20, 400), question];
    const { entries, plan } = fitToWindow(log, options(2600, first));
    expect(thinkers(entries)).toEqual([]);
    expect(entries.length).toBeLessThan(log.length);
    const { valid, leftOut, givenUp } = plan.reasoning ?? {};
    expect(valid?.blocks).toBe(0);
    expect(leftOut?.map(({ reason }) => reason)).toEqual(["prefix"]);
    // The oldest was tried first, and was not enough.
    expect(plan.decisions.map(({ reason }) => reason)).not.toContain("the oldest reasoning");
    expect((leftOut?.[0]?.blocks ?? 0) + (givenUp?.blocks ?? 0)).toBe(5);
    const after = fitToWindow([...log, ...turn(6, 20).slice(1)], options(2600, plan));
    expect(thinkers(after.entries)).toEqual(["a6"]);
    expect(after.plan.reasoning?.givenUp).toEqual(givenUp);
  });

  it("cuts a tool loop without a user's turn, and keeps the calls", () => {
    let log: readonly HistoryEntry[] = [question];
    let plan: ReductionPlan | undefined;
    let cuts = 0;
    for (let nth = 0; nth < 300; nth++) {
      const fitted = fitToWindow(log, { ...options(6000, plan), firstRequestShare: 0.1 });
      if (fitted.plan.continued?.stoppedBy === "cut") cuts += 1;
      plan = fitted.plan;
      expect(applyPlan(log, plan)).toEqual(fitted.entries);
      const content = [{ type: "reasoning", text: "t".repeat(80) }] as const;
      const toolCalls = [{ id: `c${nth}`, name: "read", arguments: "{}" }];
      log = log.concat([
        action({ id: `x${nth}`, content, toolCalls }),
        observation({
          id: `o${nth}`,
          callId: `c${nth}`,
          toolName: "read",
          outcome: "success",
          content: "r".repeat(200),
        }),
      ]);
    }
    const { valid, leftOut = [], givenUp } = plan?.reasoning ?? {};
    const left = leftOut.reduce((sum, { blocks }) => sum + blocks, 0);
    expect((valid?.blocks ?? 0) + left + (givenUp?.blocks ?? 0)).toBe(299);
    expect(cuts).toBeLessThan(45);
  });

  it("gives up the reasoning of another model, and of requests with other tools", () => {
    const { plan: previousPlan } = fitToWindow(chat, options(10_000));
    const other = { ...reasoning, reader: "claude-fable-5-2" };
    const switched = fitToWindow([...chat, question], {
      ...options(10_000, previousPlan),
      window: { contextTokens: 10_000, reasoning: other },
    });
    expect(thinkers(switched.entries)).toEqual([]);
    expect(switched.plan.reasoning?.leftOut).toMatchObject([{ reason: "reader", blocks: 4 }]);
    const tools = [{ name: "read", description: "", parameters: {} }];
    const tooled = fitToWindow([...chat, question], { ...options(10_000, previousPlan), tools });
    expect(tooled.plan.reasoning?.leftOut).toMatchObject([{ reason: "prefix", blocks: 4 }]);
  });

  it("keeps reasoning before an edited message, and none behind it", () => {
    const { plan: previousPlan } = fitToWindow(chat, options(10_000));
    const log = chat.with(4, userMessage({ id: "u3", content: "another question" }));
    const { entries } = fitToWindow(log, options(10_000, previousPlan));
    expect(thinkers(entries)).toEqual(["a1", "a2"]);
  });

  it("takes the provider's own compaction for the beginning of a new prefix", () => {
    const system = systemMessage({ id: "s", content: "Be brief." });
    const { plan: first } = fitToWindow([system, ...chat], options(9000));
    const content = [{ type: "opaque", data: { type: "compaction", content: "So far." } }] as const;
    const written = summary({ id: "c", content, strategy: "provider", trust: "tool" });
    const behind = [system, written, ...turn(5, 400).slice(1), question];
    expect(thinkers(fitToWindow(behind, options(9000, first)).entries)).toEqual(["a5"]);
    // What is kept behind a summary was made behind something else.
    const kept = [system, written, ...turn(4, 400), ...turn(5, 400), question];
    expect(thinkers(fitToWindow(kept, options(9000, first)).entries)).toEqual([]);
    // A summary of our own is no beginning.
    const own = behind.with(1, { ...written, strategy: "chunked" });
    expect(thinkers(fitToWindow(own, options(9000, first)).entries)).toEqual([]);
  });

  it("puts a summary of the provider in place of a cut, and the originals back without the plan", () => {
    const talk = [1, 2, 3, 4].flatMap((nth) => turn(nth, 20, 400));
    const { plan: first } = fitToWindow(talk, options(2600));
    const log = [...talk, ...turn(5, 20, 400), question];
    const asked = { ...options(2600, first), compaction: "provider" } as const;
    const { compaction, plan: cut } = fitToWindow(log, asked);
    expect(fitToWindow(log, options(2600, first)).plan).toEqual(cut);
    expect(compaction).toEqual({ entries: talk.slice(0, 7), before: "a4" });
    const written = summary({ id: "c", content: "So far.", strategy: "provider", trust: "tool" });
    const compacted = { before: "a4", summary: written };
    const { entries, plan } = fitToWindow(log, { ...asked, compacted });
    expect(entries).toEqual([written, ...log.slice(7)]);
    expect(plan.reasoning).toMatchObject({
      valid: { blocks: 2 },
      leftOut: [],
      givenUp: { blocks: 3 },
    });
    expect(plan.compaction).toMatchObject({
      from: "u1",
      to: "u4",
      entryCount: 7,
      summary: written,
    });
    expect(applyPlan(log, plan)).toEqual(entries);
    const next = [...log, ...turn(6, 20, 400).slice(1)];
    const stored = JSON.parse(JSON.stringify(plan)) as ReductionPlan;
    for (const previousPlan of [plan, stored]) {
      const later = fitToWindow(next, { ...asked, previousPlan });
      expect(later.entries.slice(0, entries.length)).toEqual(entries);
      expect(later.plan.reasoning?.valid.blocks).toBe(3);
    }
    // Where what it stands for has changed, or without the plan, nothing is summarized.
    const changed = log.with(0, userMessage({ id: "other", content: "q".repeat(20) }));
    for (const again of [
      fitToWindow(changed, { ...asked, previousPlan: plan }),
      fitToWindow(log, options(2600)),
    ]) {
      expect(again.entries).not.toContainEqual(written);
      expect(again.plan.compaction).toBeUndefined();
    }
    const pinned = talk.map((one) => ({ ...one, pinned: true as const }));
    const { plan: fixed } = fitToWindow(pinned, options(3000));
    const long = [...pinned, ...turn(5, 20, 400), question];
    const full = { ...options(3000, fixed), compaction: "provider" } as const;
    expect(fitToWindow(long, full).compaction).toBeUndefined();
  });

  it("returns a history by identity that fits, and leaves reasoning alone in all other families", () => {
    expect(fitToWindow(chat, options(10_000)).entries).toBe(chat);
    const { entries, plan } = fitToWindow(chat, { counter, window: { contextTokens: 1500 } });
    expect(thinkers(entries).length).toBeGreaterThan(0);
    expect(plan).not.toHaveProperty("reasoning");
  });

  it("leaves a line where an answer was nothing but reasoning", () => {
    const mute = assistantMessage({ id: "m", content: [{ type: "reasoning", text: "t" }] });
    const { plan: previousPlan } = fitToWindow([question, mute], options(1000));
    const log = [{ ...question, content: "edited" }, mute, userMessage({ content: "?" })];
    const { entries } = fitToWindow(log, options(1000, previousPlan));
    expect(entries[1]?.content).toBe("[reasoning left out]");
  });
});
