import {
  action,
  applyCompactions,
  assistantMessage,
  attachment,
  final,
  memory,
  repairHistory,
  observation,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type { CompressionStrategy, Agent, HistoryEntry, SummaryModel } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { arbitraryBrokenHistory, deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chat, codeOf, coveredIds, options } from "../test-support/chat.ts";
import { goodModel } from "../test-support/model-zoo.ts";
import { counter } from "../test-support/quarter-counter.ts";
import { addCompactions, areStillValid } from "./compactions.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";
import { chunked } from "./strategies.ts";

const refusing: SummaryModel = async () => "I'm sorry, I can't help with that.";
const writing =
  (text: string): CompressionStrategy =>
  ({ items }) => ({ spans: [{ covers: items, text }] });

describe("compressHistory", () => {
  it.each<[string, readonly HistoryEntry[]]>([
    ["an empty history", []],
    ["system messages alone", [systemMessage({ content: "x".repeat(9000) })]],
    ["one giant message", [userMessage({ content: "x".repeat(1_000_000) })]],
    ["one memory", [memory({ content: "x".repeat(9000) })]],
  ])("has nothing to do with %s", async (_, entries) => {
    const result = await compressHistory(deepFreeze(entries), options);
    expect(result).toMatchObject({ outcome: "not-needed", cause: "nothing-to-cover" });
  });

  it("compresses a giant message that was answered", async () => {
    const giant = userMessage({ id: "giant", content: "word ".repeat(100_000) });
    const result = await compressHistory([giant, ...chat(1)], options);
    expect(result).toMatchObject({ outcome: "compressed", compaction: { tokensBefore: 125_103 } });
  });

  it.each([
    ["200 tokens, where a fifth is less", 400, 200],
    ["a fifth of what it covers", 5657, 2000],
    ["4,000 tokens, where a fifth is more", 20_000, 4000],
  ])("gives a summary %s", async (_what, orders, cap) => {
    let asked = 0;
    const model: SummaryModel = async ({ maxOutputTokens }) => {
      asked = maxOutputTokens;
      return "They spoke of orders.";
    };
    const ids = Array.from({ length: orders }, (_, order) => `A${String(10_000 + order)}`);
    const entries = [userMessage({ content: ids.join(" ") }), ...chat(1)];
    const result = await compressHistory(entries, { ...options, model });
    expect(result.outcome).toBe("compressed");
    // A model is asked for half of it, and the frame has its part.
    expect([2 * asked > cap - 50, 2 * asked <= cap]).toEqual([true, true]);
  });

  it("finds a few short messages not worth a summary, and asks no model", async () => {
    let asked = 0;
    const model: SummaryModel = (request) => {
      asked += 1;
      return goodModel(request);
    };
    const entries = [userMessage({ content: "Hi." }), ...chat(0)];
    const result = await compressHistory(entries, { ...options, model });
    expect(result).toMatchObject({ outcome: "not-beneficial" });
    expect(asked).toBe(0);
  });

  it.each<Partial<CompressOptions>>([
    { maxTokens: 0 },
    { maxTokens: -5 },
    { maxTokens: Number.NaN },
    { tailTokens: -1 },
    { tailTokens: Number.NaN },
    { minSavedShare: 0 },
    { minSavedShare: 1 },
    { minSavedShare: Number.NaN },
    { minGrowthShare: -1 },
    { maxFailures: 0 },
    { contextTokens: 10 },
    { timeoutMs: 0 },
    JSON.parse('{ "model": "gpt" }'),
    JSON.parse('{ "trust": "admin" }'),
    JSON.parse('{ "counter": 3 }'),
  ])("refuses %j", async (given) => {
    expect(await codeOf(() => compressHistory(chat(4), { ...options, ...given }))).toBe(
      "INVALID_OPTION",
    );
  });

  it("keeps the verbatim tail, whole exchanges and pins", async () => {
    const call = { id: "c", name: "read", arguments: "{}" };
    const fields = { callId: "c", toolName: "read", outcome: "success" } as const;
    const entries = [
      ...chat(2).slice(0, -1),
      action({ id: "x1", toolCalls: [call] }),
      observation({ ...fields, id: "o1", content: "word ".repeat(80), pinned: true }),
      ...chat(2, 3).slice(0, -1),
      action({ id: "x2", toolCalls: [call] }),
      observation({ ...fields, id: "o2", content: "word ".repeat(80) }),
    ];
    // The running exchange and the newest question stay, and so does what is pinned in part.
    expect(await coveredIds(entries, {})).toEqual(["u1 a1 u2 a2 u3 a3 a4"]);
    // The exchange has 109 tokens, the message before it 50.
    expect(await coveredIds(entries, { tailTokens: 159 })).toEqual(["u1 a1 u2 a2 u3 a3"]);
    expect(await coveredIds(entries, { tailTokens: 158 })).toEqual(["u1 a1 u2 a2 u3 a3 a4"]);
    expect(await coveredIds(entries, { tailTokens: Infinity })).toBe("not-needed");
  });

  it("covers no exchange that another agent had a part in (L10)", async () => {
    const [w1, w2] = [worker("w1"), worker("w2")];
    const done = { callId: "c", toolName: "read", outcome: "success" } as const;
    const toolCalls = [{ id: "c", name: "read", arguments: "{}" }];
    const content = "word ".repeat(100);
    const entries = [
      task({ id: "t", agent: w1, content: "Read." }),
      action({ id: "x1", agent: w1, toolCalls, content }),
      observation({ id: "o1", agent: w2, actionId: "x1", ...done, content }),
      action({ id: "x2", agent: w1, toolCalls, content }),
      observation({ id: "o2", agent: w1, ...done, content }),
      final({ id: "f", agent: w1, content }),
    ];
    expect(await coveredIds(entries, { view: "agent:w1" })).toEqual(["x2 o2"]);
    expect(await coveredIds(entries, { view: "thread" })).toEqual(["x1 o1 x2 o2"]);
  });

  it("keeps the answer to the newest question beside it", async () => {
    const asked = await coveredIds(chat(4).slice(0, -1), { tailTokens: 0 });
    expect(asked).toEqual(["u1 a1 u2 a2 u3 a3"]);
  });

  it("keeps a message and its uploads together", async () => {
    const upload = { messageId: "u1", content: "word ".repeat(100) };
    const [first, ...others] = chat(3);
    if (first === undefined) return;
    const entriesWith = (entry: HistoryEntry): readonly HistoryEntry[] => [first, entry, ...others];
    const usual = attachment({ id: "f1", ...upload });
    expect(await coveredIds(entriesWith(usual), {})).toEqual(["u1 f1 a1 u2 a2 u3 a3"]);
    // Roles see an upload where they see its message.
    const pinned = attachment({ id: "f1", ...upload, pinned: true });
    expect(await coveredIds(entriesWith(pinned), {})).toEqual(["a1 u2 a2 u3 a3"]);
    const asked = attachment({ id: "f2", messageId: "u4", content: "word ".repeat(100) });
    expect(await coveredIds([...entriesWith(usual), asked], {})).toEqual(["u1 f1 a1 u2 a2 u3 a3"]);
  });

  it("is a system message where the user says so, and only there", async () => {
    const trusted = memory({ trust: "system", content: "word ".repeat(100) });
    const entries = [trusted, ...chat(2)];
    const usual = await compressHistory(entries, { ...options, preserveMemory: false });
    const asked = await compressHistory(entries, { ...options, trust: "system" });
    expect(usual).toMatchObject({ compaction: { summary: { trust: "user" } } });
    expect(asked).toMatchObject({ compaction: { summary: { trust: "system" } } });
  });

  it("writes what a strategy wrote, and the record where the model fails and may be rescued", async () => {
    const own = await compressHistory(chat(4), { ...options, strategy: writing("They went on.") });
    const content = expect.stringContaining("They went on.");
    expect(own).toMatchObject({ compaction: { summary: { content } } });
    const rescued = await compressHistory(chat(4), {
      ...options,
      model: refusing,
      fallback: true,
    });
    expect(rescued.outcome).toBe("compressed");
    const failed = await compressHistory(chat(4), { ...options, model: refusing });
    expect(failed).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
    const long = writing("They went on. ".repeat(400));
    const refused = await compressHistory(chat(4), { ...options, strategy: long });
    expect(refused).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
  });

  it("stops when the signal fires, before and within, whoever writes", async () => {
    const { model, ...others } = options;
    for (const writer of [
      { model: hanging },
      { model: hanging, fallback: true },
      { strategy: () => new Promise<never>(() => {}) },
    ]) {
      const controller = new AbortController();
      const work = compressHistory(chat(4), {
        ...others,
        ...writer,
        timeoutMs: Infinity,
        signal: controller.signal,
      });
      controller.abort();
      expect(await codeOf(() => work)).toBe("ABORTED");
    }
    const aborted = compressHistory(chat(4), { ...options, signal: AbortSignal.abort() });
    expect(await codeOf(() => aborted)).toBe("ABORTED");
  });

  it("calls a message unanswered only where no answer stands behind the summary", async () => {
    const question = userMessage({
      id: "q",
      content: "Is the order A1772 at the depot? ".repeat(40),
    });
    const answer = assistantMessage({
      id: "r",
      content: "It left the depot in Lyon this morning.",
    });
    const end = userMessage({ id: "end", content: "Go on." });
    const textOfSummary = async (entries: readonly HistoryEntry[]): Promise<string> => {
      const strategy: CompressionStrategy = ({ items }) => ({
        spans: [{ covers: items.slice(0, -2) }],
      });
      const { model, ...others } = options;
      const result = await compressHistory(entries, { ...others, strategy });
      return JSON.stringify(result.outcome === "compressed" && result.compaction.summary.content);
    };
    const unanswered = "last message is not answered yet";
    expect(await textOfSummary([question, answer, end])).not.toContain(unanswered);
    expect(await textOfSummary([question, userMessage({ content: "And A1773?" }), end])).toContain(
      unanswered,
    );
  });

  it("makes all summaries or none", async () => {
    let asked = 0;
    const model: SummaryModel = (request) => {
      asked += 1;
      return asked < 3 ? goodModel(request) : refusing(request);
    };
    const strategy = chunked({ size: 2 });
    const result = await compressHistory(chat(4), { ...options, model, strategy });
    expect(result).toMatchObject({ outcome: "failed" });
  });

  it("leaves a broken history no more broken, and covers whole what it covers (L1)", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBrokenHistory({ maxEntries: 60 }), async (entries) => {
        const before = JSON.stringify(entries);
        const result = await compressHistory(deepFreeze(entries), options);
        expect(JSON.stringify(entries)).toBe(before);
        if (result.outcome !== "compressed") return;
        expect(areStillValid(result.compactions, entries)).toBe(true);
        const shown = applyCompactions(addCompactions(entries, result.compactions), "thread");
        const violations = checkHistory(repairHistory(shown).entries).filter(
          ({ law }) => law !== "L6",
        );
        expect(violations).toEqual([]);
        const lost = (some: readonly HistoryEntry[]): number =>
          repairHistory(some).repairs.filter(({ kind }) => kind !== "drawn-together").length;
        expect(lost(shown)).toBeLessThanOrEqual(lost(entries));
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("counts each entry a bounded number of times (L13)", async () => {
    let counted = 0;
    const counting = {
      ...counter,
      countEntry: (entry: HistoryEntry) => {
        counted += 1;
        return counter.countEntry(entry);
      },
    };
    const counts: number[] = [];
    for (const turns of [200, 400]) {
      counted = 0;
      await compressHistory(chat(turns), { ...options, counter: counting });
      counts.push(counted / turns);
    }
    expect(counts[1]).toBeLessThanOrEqual((counts[0] ?? 0) + 1);
  });
});

function worker(id: string): Agent {
  return { id, role: "worker" };
}

function hanging(): Promise<string> {
  return new Promise(() => {});
}
