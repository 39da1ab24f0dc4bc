import {
  action,
  assistantMessage,
  observation,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type {
  HistoryEntry,
  ReductionPlan,
  TokenCounter,
  ToolDefinition,
} from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { rememberingProvider } from "../test-support/reasoning-oracle.ts";
import { applyPlan } from "./apply-plan.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { lexicalScorer } from "./lexical/lexical-scorer.ts";

const KINDS = [
  "ask",
  "ask",
  "work",
  "work",
  "work",
  "answer",
  "edit",
  "delete",
  "rewind",
  "restore",
  "model",
  "tools",
  "window",
  "forget",
  "pin",
  "speak",
] as const;

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(),
  size: fc.nat({ max: 120 }),
  thought: fc.nat({ max: 120 }),
});

/** One token for four characters. */
const quarterCounter: TokenCounter = {
  ...counter,
  id: "quarters",
  countEntry: (entry) => Math.ceil(counter.countEntry(entry) / 4),
};

/** A conversation with one provider: what is sent after each step is checked, and a model that answers thinks. */
function converse(
  steps: readonly { kind: (typeof KINDS)[number]; at: number; size: number; thought: number }[],
  options: { readonly isScored: boolean; readonly scale: number; readonly compacts: boolean },
) {
  const provider = rememberingProvider();
  let log: readonly HistoryEntry[] = [
    systemMessage({ id: "s", createdAtMs: 0, content: "Be brief." }),
    userMessage({ id: "u", createdAtMs: 0, content: "q".repeat(30) }),
  ];
  let plan: ReductionPlan | undefined;
  let reader = "one";
  let toolset = 1;
  let sentToolset = 1;
  // Long texts of few tokens are guessed before they are counted.
  const isLong = options.scale > 1;
  const counts = isLong ? quarterCounter : counter;
  const least = isLong ? 1000 : 1500;
  let contextTokens = least;
  const scorer = options.isScored ? lexicalScorer() : undefined;
  let made = 0;
  let sentBlocks = 0;
  const tools = (): readonly ToolDefinition[] => [
    { name: "read", description: "r".repeat(toolset), parameters: { type: "object" } },
  ];
  let compactions = 0;
  const send = (): readonly HistoryEntry[] => {
    const asked = {
      counter: counts,
      window: { contextTokens, reasoning: { binds: "refuse", reader } },
      tools: tools(),
      previousPlan: plan,
      ...(options.compacts && { compaction: "provider" as const }),
      ...(scorer && { scorer }),
    } as const;
    let fitted = fitToWindow(log, asked);
    let fewest = plan?.reasoning?.valid.blocks ?? 0;
    const toolText = JSON.stringify(tools());
    if (fitted.compaction !== undefined) {
      const { entries, before } = fitted.compaction;
      expect(provider.check(entries, reader, toolText).invalid).toEqual([]);
      const id = `c${(compactions += 1)}`;
      provider.summarize(id, entries, toolText);
      fewest -= provider.check(entries, reader, toolText).blocks;
      const content = "s".repeat(60);
      const written = summary({ id, content, strategy: "provider", trust: "tool" });
      fitted = fitToWindow(log, { ...asked, compacted: { before, summary: written } });
      expect(fitted.entries.some((entry) => entry.id === id)).toBe(true);
      expect(applyPlan(log, fitted.plan)).toEqual(fitted.entries);
    }
    const { invalid, blocks } = provider.check(fitted.entries, reader, toolText);
    expect(invalid).toEqual([]);
    const { valid } = fitted.plan.reasoning ?? {};
    expect(valid?.blocks).toBe(blocks);
    expect(fitted.plan.totalTokens).toBeLessThanOrEqual(contextTokens);
    // What was sent is not taken back while the prompt only grows.
    const { continued } = fitted.plan;
    if (continued !== undefined && continued.stoppedBy === undefined && sentToolset === toolset) {
      expect(blocks).toBeGreaterThanOrEqual(fewest);
    }
    plan = fitted.plan;
    sentToolset = toolset;
    sentBlocks += blocks;
    return fitted.entries;
  };
  const think = (sent: readonly HistoryEntry[], thought: number) => {
    const text = `t${(made += 1)} ${"t".repeat(thought)}`;
    provider.make(text, sent, reader, JSON.stringify(tools()));
    return { type: "reasoning", text } as const;
  };
  for (const [nth, { kind, at, size: part, thought }] of steps.entries()) {
    const size = part * options.scale;
    const place = at % log.length;
    const one = log[place];
    switch (kind) {
      case "ask":
        log = log.concat([
          userMessage({ id: `u${nth}`, createdAtMs: 0, content: `q${nth} `.repeat(part / 4 + 1) }),
        ]);
        break;
      case "work": {
        const content = [think(send(), thought)];
        const toolCalls = [{ id: `c${nth}`, name: "read", arguments: "{}" }];
        log = log.concat([
          action({ id: `x${nth}`, createdAtMs: 0, content, toolCalls }),
          observation({
            id: `o${nth}`,
            createdAtMs: 0,
            callId: `c${nth}`,
            toolName: "read",
            outcome: "success",
            content: "r".repeat(size * 2),
          }),
        ]);
        break;
      }
      case "answer":
      case "speak": {
        const content = [
          think(send(), thought),
          { type: "text", text: "a".repeat(size + 1) } as const,
        ];
        log = log.concat([assistantMessage({ id: `a${nth}`, createdAtMs: 0, content })]);
        if (kind === "answer") {
          log = log.concat([
            userMessage({ id: `v${nth}`, createdAtMs: 0, content: "q".repeat(part / 2 + 1) }),
          ]);
        }
        break;
      }
      case "edit":
        if (
          one?.type === "user_message" ||
          one?.type === "observation" ||
          one?.type === "system_message"
        ) {
          log = log.with(place, { ...one, content: "e".repeat(part + 1) });
        }
        break;
      case "delete":
        if (one?.type === "user_message" && place > 1) log = log.toSpliced(place, 1);
        break;
      case "rewind":
        log = log.slice(
          0,
          Math.max(
            2,
            log.findLastIndex(({ type }, index) => type === "user_message" && index <= place) + 1,
          ),
        );
        break;
      case "restore":
        log = structuredClone<readonly HistoryEntry[]>(log);
        plan = plan && (JSON.parse(JSON.stringify(plan)) as ReductionPlan);
        break;
      case "model":
        reader = reader === "one" ? "other" : "one";
        break;
      case "tools":
        toolset = 3 - toolset;
        break;
      case "window":
        contextTokens = least + (at % 3) * 200;
        break;
      case "pin":
        if (one !== undefined && !isLong && log.filter(({ pinned }) => pinned).length < 2)
          log = log.with(place, { ...one, pinned: true });
        break;
      case "forget":
        break;
    }
  }
  send();
  return { compactions, sentBlocks };
}

describe("fitToWindow for a family that binds reasoning", () => {
  it("never sends reasoning behind another prefix than it was made under, nor a gap in its chain", () => {
    let sent = 0;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.boolean(),
        fc.constantFrom(1, 1, 20),
        (steps, isScored, scale) => {
          sent += converse(steps, { isScored, scale, compacts: false }).sentBlocks;
        },
      ),
      { numRuns: 300 },
    );
    expect(sent).toBeGreaterThan(0);
  });

  it("keeps it behind what the provider summarized, and nowhere else", () => {
    let compactions = 0;
    const kind = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom("work", "answer") },
      step.map((one) => one.kind),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, kind), { minLength: 30, maxLength: 80 }),
        fc.constantFrom(1, 1, 20),
        (drawn, scale) => {
          const steps = drawn.map(([one, as]) => ({ ...one, kind: as }));
          compactions += converse(steps, { isScored: false, scale, compacts: true }).compactions;
        },
      ),
      { numRuns: 100 },
    );
    expect(compactions).toBeGreaterThan(100);
  });
});
