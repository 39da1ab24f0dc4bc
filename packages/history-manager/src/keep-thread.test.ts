import type { Compressor, HistoryStore } from "@agent-history/core";
import { detailsCleaner, historyCleaner } from "@agent-history/postprocess";
import { describe, expect, it } from "vitest";

import { counter as characters } from "../test-support/character-counter.ts";
import { faultyStore } from "../test-support/faulty-store.ts";
import {
  BOSS,
  WORKER,
  codeOf,
  managerOptions,
  promptText,
} from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, HistoryManagerOptions } from "./index.ts";

const CALL = { systemMessage: "s" };

describe("compress and expand", () => {
  it("puts a summary in place of a view's old entries, and takes it back", async () => {
    const { history } = await chat({ compressor: prefixCompressor });
    const before = await history.historyForModelCall(CALL);
    const made = await history.compress();
    const after = await history.historyForModelCall(CALL);
    const other = createHistoryManager(managerOptions());

    expect(made.outcome).toBe("compressed");
    expect(promptText(after.entries)).toEqual([
      "system_message: s",
      "summary: 3 entries",
      "assistant_message: a2",
      "user_message: q3",
      "assistant_message: a3",
    ]);
    if (made.outcome === "compressed") await history.expand(made.compaction.summary.id);
    expect((await history.historyForModelCall(CALL)).entries).toEqual(before.entries);
    expect(await codeOf(other.expand("nothing"))).toBe("NOT_FOUND");
  });

  it("hands the compressor what belongs to the view", async () => {
    const seen: (readonly string[])[] = [];
    const compressor: Compressor = {
      name: "none",
      compress: async (entries) => {
        seen.push(entries.map(({ id }) => id));
        return { outcome: "not-needed", reason: "enough room" };
      },
    };
    const { history } = await chat({ compressor });
    await history.withScope({ agent: WORKER }).addError({ id: "e1", content: "No." });
    await history.compress({ view: "conversation" });
    await history.compress({ view: "agent:reader-1" });
    expect(await history.compress()).toEqual({ outcome: "not-needed", reason: "enough room" });
    const messages = ["q1", "a1", "q2", "a2", "q3", "a3"];
    expect(seen).toEqual([messages, ["e1"], [...messages, "e1"]]);
  });

  it("tells of a view that another has compressed meanwhile, and changes nothing", async () => {
    const { history, options } = await chat({ compressor: prefixCompressor });
    const other = createHistoryManager(options);
    const slow: Compressor = {
      name: "slow",
      compress: async (...call) => {
        const made = await prefixCompressor.compress(...call);
        await other.compress();
        if (made.outcome !== "compressed") return made;
        const summary = { ...made.compaction.summary, id: "late" };
        return { ...made, compaction: { ...made.compaction, summary } };
      },
    };
    const late = createHistoryManager({ ...options, compressor: slow });
    expect(await late.compress()).toMatchObject({ outcome: "conflict" });
    const { entries } = await history.historyForModelCall(CALL);
    expect(promptText(entries)).toContain("summary: 3 entries");
  });

  it("keeps a summary once, also where the answer is lost", async () => {
    for (const kind of ["lost-before", "lost-after"] as const) {
      const { options } = await chat({ compressor: prefixCompressor });
      const faulty = only(options.store, "commitCompaction", kind);
      const history = createHistoryManager({ ...options, store: faulty });
      expect((await history.compress()).outcome).toBe("compressed");
      const { entries, viewRevision } = await history.read({ clauses: [{}], view: "thread" });
      expect([entries.length, viewRevision]).toEqual([4, 1]);
    }
  });

  it("takes a summary back once, also where the answer is lost", async () => {
    for (const kind of ["lost-before", "lost-after"] as const) {
      const { history, options } = await chat({ compressor: prefixCompressor });
      const made = await history.compress();
      const id = made.outcome === "compressed" ? made.compaction.summary.id : "";
      const faulty = only(options.store, "expand", kind);
      await createHistoryManager({ ...options, store: faulty }).expand(id);
      expect((await history.read({ clauses: [{}], view: "thread" })).entries).toHaveLength(6);
    }
  });

  it("cleans answers before they are summarized", async () => {
    const seen: unknown[] = [];
    const compressor: Compressor = {
      name: "none",
      compress: async (entries) => {
        seen.push(...promptText(entries));
        return { outcome: "not-needed", reason: "enough room" };
      },
    };
    const cleaner = historyCleaner({ cleaners: [detailsCleaner()] });
    const history = createHistoryManager(managerOptions({ compressor, cleaner }));
    await history.addAssistantMessage({ content: "Yes.<details>x</details>" });
    await history.compress();
    expect(seen).toEqual(["assistant_message: Yes."]);
  });

  it("summarizes what the scope's prompts show: the conversation for an orchestrator, its own view for a worker", async () => {
    const { history } = await chat({ compressor: prefixCompressor });
    const lead = history.withScope({ agent: BOSS });
    const worker = history.withScope({ agent: WORKER });
    const made = [await lead.compress(), await worker.compress(), await history.compress()];

    expect(made[0]).toMatchObject({ compaction: { summary: { view: "conversation" } } });
    expect(made[1]?.outcome).toBe("not-needed");
    expect(made[2]).toMatchObject({ compaction: { summary: { view: "thread" } } });
    expect(promptText((await lead.historyForModelCall(CALL)).entries)).toEqual([
      "system_message: s",
      "summary: 3 entries",
      "user_message: q3",
      "assistant_message: a3",
    ]);
  });

  it("is refused without a compressor", async () => {
    const { history } = await chat({});
    expect(await codeOf(history.compress())).toBe("INVALID_OPTION");
  });
});

describe("fork and branchFrom", () => {
  it("give a manager on a thread of its own, with the entries up to one, in the same scope", async () => {
    const { history } = await chat({});
    const fork = await history.withScope({ agent: WORKER }).fork({ at: "a2", as: "try" });
    await fork.addError({ content: "Here." });
    const back = await history.branchFrom("q1");

    expect(fork.threadId).toBe("thread-1/try");
    expect(fork.scope).toEqual({ agent: WORKER });
    expect((await fork.read()).entries.map(({ id }) => id)).toEqual([
      "q1",
      "a1",
      "q2",
      "a2",
      expect.any(String),
    ]);
    expect((await back.read()).entries.map(({ id }) => id)).toEqual(["q1"]);
    expect((await history.read()).version).toBe(6);
    expect(await codeOf(history.branchFrom("none"))).toBe("NOT_FOUND");
  });

  it("number on from what the thread gave", async () => {
    const { history } = await chat({});
    const result = { callId: "c", toolName: "t" };
    await history.addToolCallResults([{ ...result, id: "o1", sources: [{ id: "a", text: "a" }] }]);
    await history.addToolCallResults([{ ...result, sources: [{ id: "b", text: "b" }] }]);
    const fork = await history.fork({ at: "o1", as: "try" });
    const sources = [
      { id: "c", text: "c" },
      { id: "a", text: "a" },
    ];
    const [kept] = await fork.addToolCallResults([{ ...result, sources }]);
    expect(kept?.sources?.map(({ number }) => number)).toEqual([3, 1]);
  });

  it("is made once, also where the answer is lost", async () => {
    for (const kind of ["lost-before", "lost-after"] as const) {
      const { options } = await chat({});
      const history = createHistoryManager({
        ...options,
        store: only(options.store, "fork", kind),
      });
      const fork = await history.fork({ at: "q1", as: "try" });
      expect((await fork.read()).version).toBe(1);
    }
    const { history } = await chat({});
    await history.fork({ at: "q1", as: "try" });
    expect(await codeOf(history.fork({ at: "q1", as: "try" }))).toBe("VERSION_CONFLICT");
  });
});

describe("read", () => {
  it("gives the counts that were stored with the entries", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "12345" });
    await history.addAssistantMessage({ content: "123" });
    const { tokens } = await history.read();

    expect(tokens.get(characters.id)).toEqual([5, 3]);
  });
});

/** Three turns of a question and an answer. */
async function chat(
  given: Partial<HistoryManagerOptions>,
): Promise<{ readonly history: HistoryManager; readonly options: HistoryManagerOptions }> {
  const options = managerOptions(given);
  const history = createHistoryManager(options);
  for (const turn of [1, 2, 3]) {
    await history.addUserMessage({ id: `q${turn}`, content: `q${turn}` });
    await history.addAssistantMessage({ id: `a${turn}`, content: `a${turn}` });
  }
  return { history, options };
}

/** A store of which the first call of one verb fails. */
function only(
  store: HistoryStore,
  verb: "commitCompaction" | "expand" | "fork",
  kind: "lost-before" | "lost-after",
): HistoryStore {
  const faulty = faultyStore(store, { at: 1, count: 1, kind });
  return { ...store, [verb]: faulty[verb] };
}
