import {
  chunked,
  createCompressor,
  fromLastNMessages,
  fromTimestamp,
  noCompression,
  retrieveFacts,
  wholeHistory,
  wholeHistoryPerSystemMessage,
} from "@agent-history/compression";
import type { CompressionStrategy, HistoryEntry, SummaryModel } from "@agent-history/core";
import { createReducer, replaceOldTurns } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { codeOf, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManagerOptions } from "./history-manager-options.ts";
import type { HistoryManager } from "./history-manager.ts";

const CONCEPTS = [
  { keyword: "order", description: "The order that is spoken of", factType: "single" },
] as const;

/** Keeps what is important word for word, and drops the rest. */
const importantOnly: CompressionStrategy = ({ items }) => ({
  strategy: "important-only",
  spans: [{ covers: items.filter(isUnimportant), isDropped: true }],
});

describe("compress with a strategy of the call", () => {
  it.each<[string, CompressionStrategy, number]>([
    ["the whole history", wholeHistory, 1],
    ["the last messages", fromLastNMessages(5), 1],
    ["what is new", fromTimestamp(20), 1],
    ["chunks of ten messages", chunked({ size: 10 }), 4],
    ["a block for each system message", wholeHistoryPerSystemMessage, 2],
    ["facts", retrieveFacts(CONCEPTS), 1],
  ])("makes of %s as many summaries as the strategy makes", async (_, strategy, summaries) => {
    const history = await longThread();
    const before = await history.read();
    const made = await history.compress({ strategy, tailTokens: 100 });
    const shown = await history.read({ clauses: [{}], view: "thread" });
    const standing = shown.entries.filter(({ type }) => type === "summary");

    expect(made).toMatchObject({ outcome: "compressed" });
    expect(standing).toHaveLength(summaries);
    expect(shown.entries.at(-1)).toEqual(before.entries.at(-1));
    for (const { id } of standing) await history.expand(id);
    expect((await history.read({ clauses: [{}], view: "thread" })).entries).toEqual(before.entries);
  });

  it("makes none with the strategy that compresses nothing", async () => {
    const history = await longThread();
    expect(await history.compress({ strategy: noCompression })).toMatchObject({
      outcome: "not-needed",
    });
  });

  it("asks the model of the call", async () => {
    const history = await longThread();
    const model: SummaryModel = async () => "They asked after the order A1772.";
    const made = await history.compress({ model, strategy: chunked({ size: 20 }) });
    const texts = made.outcome === "compressed" ? (made.compactions ?? []) : [];

    expect(texts.length).toBe(2);
    for (const { summary } of texts) expect(summary.content).toContain("They asked after");
  });

  it("takes a strategy that waits, asks the model and writes the summary itself", async () => {
    const history = await longThread();
    const asked: string[] = [];
    const model: SummaryModel = async ({ prompt }) => {
      asked.push(prompt);
      return "The order A1772 matters.";
    };
    const strategy: CompressionStrategy = async ({ items, model: ask }) => {
      const request = { instructions: "What matters?", prompt: "…", maxOutputTokens: 200 };
      const text = await ask?.(request);
      return { strategy: "own", spans: [{ covers: items, ...(text !== undefined && { text }) }] };
    };
    const made = await history.compress({ strategy, model });

    expect(asked).toEqual(["…"]);
    expect(made).toMatchObject({
      outcome: "compressed",
      compaction: { summary: { strategy: "own" } },
    });
    expect(JSON.stringify(made)).toContain("The order A1772 matters.");
  });

  it("lets entries go without a summary where a strategy drops them, and takes them back", async () => {
    const history = await longThread();
    const before = await history.read();
    const made = await history.compress({ strategy: importantOnly });
    const shown = await history.read({ clauses: [{}], view: "thread" });
    const kept = shown.entries.filter(({ type }) => type !== "summary");

    expect(kept.every((entry) => isKept(entry, before.entries))).toBe(true);
    expect(shown.entries.filter(({ type }) => type === "summary")).toHaveLength(1);
    expect(JSON.stringify(made)).toMatch(/\d+ earlier entries were dropped\./u);
    await history.expand(made.outcome === "compressed" ? made.compaction.summary.id : "");
    expect((await history.read({ clauses: [{}], view: "thread" })).entries).toEqual(before.entries);
  });

  it("keeps memories, unless the call says otherwise", async () => {
    for (const preserveMemory of [true, false]) {
      const history = await longThread();
      await history.compress({ preserveMemory, tailTokens: 0 });
      const { entries } = await history.read({ clauses: [{}], view: "thread" });
      expect(entries.some(({ type }) => type === "memory")).toBe(preserveMemory);
    }
  });

  it("leaves everything as it was where a strategy fails or the signal fires", async () => {
    const history = await longThread();
    const failing: CompressionStrategy = () => Promise.reject(new Error("The user's secret."));
    const made = await history.compress({ strategy: failing });
    expect(made.outcome).toBe("failed");
    expect(JSON.stringify(made)).not.toContain("secret");

    const hanging: CompressionStrategy = () => new Promise(() => {});
    const signal = AbortSignal.timeout(1);
    expect(await codeOf(history.compress({ strategy: hanging, signal }))).toBe("ABORTED");
    expect(
      (await history.read({ clauses: [{ standsInView: true }], view: "thread" })).entries,
    ).toEqual([]);
  });
});

describe("a summarizer that fails", () => {
  it("is recorded on the span of the compression and in the plan, without what it said", async () => {
    const spans = recordSpans();
    const model: SummaryModel = () => Promise.reject(new Error("The user's secret."));
    const compressor = createCompressor({ counter, model, maxAttempts: 1, tailTokens: 100 });
    const reducer = createReducer({ counter, steps: [replaceOldTurns({ compressor })] });
    const history = await longThread({ compressor, reducer, window: { contextTokens: 1000 } });
    const made = await history.compress();
    const { plan } = await history.historyForModelCall({ systemMessage: "You sell." });
    Reflect.deleteProperty(globalThis, OPEN_TELEMETRY);

    expect(made).toMatchObject({ outcome: "failed" });
    expect(spans).toContainEqual({
      name: "agent_history.compress",
      scope: "@agent-history/history-manager",
      failure: "MODEL_FAILED",
    });
    expect(plan.skipped).toEqual([
      {
        step: "replace-old-turns",
        reason: expect.stringMatching(
          /^no summary by compression: The summary model gave no usable answer/u,
        ),
      },
    ]);
    expect(JSON.stringify([spans, plan])).not.toContain("secret");
  });
});

const OPEN_TELEMETRY = Symbol.for("opentelemetry.js.api.1");

interface RecordedSpan {
  readonly name: string;
  readonly scope: string;
  failure?: string | undefined;
}

/** Registers a tracer, as an application does with `@opentelemetry/api`, that records how spans fail. */
function recordSpans(): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const getTracer = (scope: string): object => {
    const startSpan = (name: string): object => {
      const recorded: RecordedSpan = { name, scope };
      spans.push(recorded);
      const setStatus = ({ message }: { readonly message?: string }): void => {
        recorded.failure = message;
      };
      return { isRecording: () => true, setAttributes: () => {}, setStatus, end: () => {} };
    };
    const startActiveSpan = (name: string, work: (span: object) => unknown): unknown =>
      work(startSpan(name));
    return { startSpan, startActiveSpan };
  };
  Object.assign(globalThis, { [OPEN_TELEMETRY]: { trace: { getTracer } } });
  return spans;
}

function isUnimportant({ entries }: { readonly entries: readonly HistoryEntry[] }): boolean {
  return !entries.some((entry) => JSON.stringify(entry).includes("important"));
}

function isKept(entry: HistoryEntry, all: readonly HistoryEntry[]): boolean {
  const isNewest = all.slice(-2).some(({ id }) => id === entry.id);
  const stays = entry.type === "system_message" || entry.type === "memory";
  return isNewest || stays || JSON.stringify(entry).includes("important");
}

async function longThread(given: Partial<HistoryManagerOptions> = {}): Promise<HistoryManager> {
  let time = 0;
  const now = (): number => (time += 1);
  const compressor = createCompressor({ counter });
  const history = createHistoryManager(managerOptions({ compressor, now, ...given }));
  await history.append([system("s1", "You sell."), system("s2", "Be brief.")]);
  await history.addMemory({ content: "The user lives in Rome." });
  for (let turn = 0; turn < 20; turn++) {
    if (turn === 10) await history.append([system("s3", "Now you help.")]);
    const said = turn % 7 === 3 ? "This is important: it is late." : "It is somewhere on its way.";
    await history.addUserMessage({ content: `Where is the order A${1770 + turn}? ${said}` });
    await history.addAssistantMessage({
      content: `The order A${1770 + turn} was sent on 2026-05-${10 + turn}. ${"It will come soon. ".repeat(8)}`,
    });
  }
  await history.addUserMessage({ content: "And now?" });
  return history;
}

function system(id: string, content: string): HistoryEntry {
  return { type: "system_message", id, createdAtMs: 0, content };
}
