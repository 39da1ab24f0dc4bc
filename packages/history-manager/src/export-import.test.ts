import type { HistoryView } from "@agent-history/core";
import { summary } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loopScript } from "../test-support/loop-step.ts";
import { codeOf, countingIds, managerOptions } from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { loopMemory, runStep } from "../test-support/run-step.ts";
import { TEST_STORES } from "../test-support/store-factories.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, HistoryManagerOptions } from "./index.ts";

const RUNS = lawRuns(30);
const VIEWS: readonly HistoryView[] = ["thread", "conversation", "agent:worker-0"];

describe.each(TEST_STORES)("export and import into %s", (_name, makeTestStore, share) => {
  it("give the same thread: entries, counts, every layer of every view, state, and the next prompt", async () => {
    await fc.assert(
      fc.asyncProperty(loopScript, fc.nat({ max: 200 }), async (script, size) => {
        const testStore = makeTestStore();
        const options = scriptOptions();
        const from = createHistoryManager(options);
        const memory = loopMemory();
        for (const step of script) {
          memory.step += 1;
          await runStep(from, step, memory);
        }
        const text = (await collect(from.export())).join("");
        const to = createHistoryManager({ ...scriptOptions(), store: testStore.open() });
        const report = await to.import(piecesOf(text, size + 1));

        expect(report.problems).toEqual([]);
        expect((await collect(to.export())).join("")).toBe(text);
        await expectSameThread(to, from);
        await testStore.close();
      }),
      { numRuns: Math.ceil(RUNS * share) },
    );
  });
});

describe("export", () => {
  it("leaves nothing behind in the store, layers or not", async () => {
    const { options, history } = await layered();
    const before = await options.store.list();
    const lines = await collect(history.export());
    expect(lines.filter((line) => line.includes('"compaction"'))).toHaveLength(2);
    expect(await options.store.list()).toEqual(before);
  });
});

describe("import", () => {
  it("brings back what each layer covered", async () => {
    const { history } = await layered();
    const other = createHistoryManager(managerOptions());
    await other.import(history.export());
    const shown = async (): Promise<readonly string[]> =>
      (await other.read({ clauses: [{}], view: "thread" })).entries.map(({ id }) => id);

    expect(await shown()).toEqual(["top", "m4"]);
    await other.expand("top");
    expect(await shown()).toEqual(["low", "m3", "m4"]);
    await other.expand("low");
    expect(await shown()).toEqual(["m1", "m2", "m3", "m4"]);
  });

  it("reports lines that it cannot use, with their places and without their words, and takes the rest", async () => {
    const { history } = await layered();
    const lines = await collect(history.export());
    const secret = "a secret word";
    const wrong = [
      `${secret}\n`,
      `${JSON.stringify({ kind: "entry", entry: { v: 1, type: "memory", id: "x", content: secret, trust: 7 }, tokens: [] })}\n`,
      `${JSON.stringify({ kind: "entry", entry: { v: 9, id: "y", type: "memory" }, tokens: [] })}\n`,
      `${JSON.stringify({ kind: "state", key: "other/state", value: secret })}\n`,
      lines[1] ?? "",
    ];
    const other = createHistoryManager(managerOptions());
    const report = await other.import([...lines.slice(0, 2), ...wrong, ...lines.slice(2)]);

    expect(report.problems.map(({ line, entryId }) => [line, entryId])).toEqual([
      [3, undefined],
      [4, expect.toSatisfy((id) => id === undefined || id === "x")],
      [5, "y"],
      [6, undefined],
      [7, "m1"],
    ]);
    expect(JSON.stringify(report)).not.toContain(secret);
    expect(report).toMatchObject({ entries: 4, compactions: 2 });
  });

  it("says where the end is missing, entries are missing, or a summary covers what is not there", async () => {
    const { history } = await layered();
    const lines = await collect(history.export());
    const reportOf = async (text: readonly string[]): Promise<readonly string[]> => {
      const { problems } = await createHistoryManager(managerOptions()).import(text);
      return problems.map(({ line, reason }) => `${line} ${reason}`);
    };
    expect(await reportOf(lines.slice(0, -1))).toEqual([
      `${lines.length - 1} The end of the export is missing.`,
    ]);
    const without = await reportOf(
      lines.filter((line) => !line.includes('"m1"') || line.includes("compaction")),
    );
    expect(without).toHaveLength(3);
    expect(without.at(-1)).toBe(`${lines.length - 1} Expected 4 entries, got 3.`);
  });

  it("goes on after it was broken off, and merges nothing", async () => {
    const { history } = await layered();
    const lines = await collect(history.export());
    const options = managerOptions();
    const other = createHistoryManager(options);
    await other.import(lines.slice(0, 3));
    expect(await other.import(lines)).toMatchObject({ entries: 4, compactions: 2, problems: [] });
    expect(await other.import(lines)).toMatchObject({ entries: 4, compactions: 2, problems: [] });
    expect((await collect(other.export())).join("")).toBe(lines.join(""));

    const busy = createHistoryManager(managerOptions(countingIds("busy")));
    await busy.addMemory({ content: "Here already." });
    expect(await codeOf(busy.import(lines))).toBe("VERSION_CONFLICT");
  });

  it("refuses what is no export, or a newer one", async () => {
    const history = createHistoryManager(managerOptions());
    expect(await codeOf(history.import(["{}\n"]))).toBe("INVALID_ENTRY");
    const newer = { kind: "thread", format: "agent-history", version: 2 };
    expect(await codeOf(history.import([JSON.stringify(newer)]))).toBe("UNKNOWN_VERSION");
  });

  it("writes a long thread in batches", async () => {
    const { options } = await layered();
    const history = createHistoryManager({ ...options, threadId: "long" });
    const memories = Array.from({ length: 1200 }, (_, index) => ({
      id: `n${index}`,
      content: "x",
    }));
    for (const memory of memories) await history.addMemory(memory);
    const sizes: number[] = [];
    const store = memoryStore();
    const counted = {
      ...store,
      append: async (...call: Parameters<typeof store.append>) => {
        sizes.push(call[1].length);
        return store.append(...call);
      },
    };
    const other = createHistoryManager(managerOptions({ store: counted }));
    expect((await other.import(history.export())).entries).toBe(1200);
    expect(sizes).toEqual([500, 500, 200]);
  });
});

function scriptOptions(): HistoryManagerOptions {
  return managerOptions({ window: { contextTokens: 600 }, compressor: prefixCompressor });
}

/** Four entries, three of them under two layers of summaries. */
async function layered(): Promise<{
  readonly history: HistoryManager;
  readonly options: HistoryManagerOptions;
}> {
  const options = managerOptions();
  const { store, threadId } = options;
  const history = createHistoryManager(options);
  for (const id of ["m1", "m2", "m3", "m4"]) await history.addMemory({ id, content: id });
  const made = {
    view: "thread",
    strategy: "own",
    trust: "user",
    createdAtMs: 0,
    content: "",
  } as const;
  const low = { id: "low", covers: [{ from: "m1", to: "m2" }] };
  const top = { id: "top", covers: [{ from: "low", to: "m3" }] };
  for (const [viewRevision, layer] of [low, top].entries()) {
    const entry = summary({ ...made, ...layer });
    const { covers } = layer;
    await store.commitCompaction(threadId, {
      view: "thread",
      summary: entry,
      covers,
      expectedViewRevision: viewRevision,
    });
  }
  return { history, options };
}

async function expectSameThread(one: HistoryManager, other: HistoryManager): Promise<void> {
  const whole = { originals: true };
  const { entries, tokens, version } = await one.read(undefined, whole);
  expect({ entries, tokens, version }).toEqual({ ...(await pick(other)) });
  for (const view of VIEWS) {
    const query = { clauses: [{}], view };
    expect((await one.read(query)).entries).toEqual((await other.read(query)).entries);
  }
  const call = { systemMessage: "You answer.", tools: [{ name: "look" }], removeFromText: noArrow };
  const prompts = await Promise.allSettled(
    [one, other].map(async (each) => each.historyForModelCall(call)),
  );
  expect(prompts[0]).toEqual(prompts[1]);
}

async function pick(history: HistoryManager): Promise<object> {
  const { entries, tokens, version } = await history.read(undefined, { originals: true });
  return { entries, tokens, version };
}

function noArrow(text: string): string {
  return text.replaceAll("📈", "");
}

async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

function* piecesOf(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}
