import { applyCompactions, isInView, repairHistory, messageRole } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryCase, viewsOf } from "../test-support/arbitrary-compression.ts";
import type { Case } from "../test-support/arbitrary-compression.ts";
import { goodModel, zoo } from "../test-support/model-zoo.ts";
import { counter, sleep } from "../test-support/quarter-counter.ts";
import { addCompactions, expandCompaction, areStillValid } from "./compactions.ts";
import { compressHistory, replaceHistoryWithSummary } from "./compress-history.ts";
import type { CompressOptions, CompressionResult } from "./compress-options.ts";
import { textOf } from "./internal/data-text.ts";
import { coverageOf } from "./internal/view-items.ts";

const RUNS = { numRuns: lawRuns(100) };

const FAST = { counter, sleep, timeoutMs: 10, minSavedShare: 0.2 };

/** With a model, and without. */
const WRITERS: readonly Partial<CompressOptions>[] = [{ model: goodModel }, {}];

describe("compressHistory", () => {
  it("keeps pairing, order and the question, and covers nothing of others (L1, L2, L3, L10)", async () => {
    let compressed = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), fc.constantFrom(...WRITERS), async (given, writer) => {
        const result = await compress(given, writer);
        if (result.outcome !== "compressed") return;
        compressed += 1;
        const shown = applyCompactions(applyAll(given, result), given.view);

        // Agents interleave: results are drawn to their calls, and nothing else is to be repaired.
        const repaired = repairHistory(shown);
        expect(repaired.repairs.filter(({ kind }) => kind !== "drawn-together")).toEqual([]);
        // Whole turns and the newest entry (L15, L16) are laws of a fit; a summary may cover the end of a history.
        const broken = checkHistory(repaired.entries, { before: given.history });
        expect(broken.filter(({ law }) => law !== "L15" && law !== "L16")).toEqual([]);
        const covered = coveredOf(given, result.compactions);
        expect(covered.filter((entry) => !isInView(entry, given.view))).toEqual([]);
        expect(covered.filter((entry) => mustSurvive(entry, given))).toEqual([]);
        expect(new Set(covered).size).toBe(covered.length);
        const summaries = result.compactions.map(({ summary }) => summary);
        const rest = given.history.filter((entry) => !covered.includes(entry));
        expect(shown.filter((entry) => !summaries.some((one) => one === entry))).toEqual(rest);
        expect(tailOf(given).filter((entry) => covered.includes(entry))).toEqual([]);
      }),
      RUNS,
    );
    expect(compressed).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it("can be undone layer by layer, and leaves every other view as it was (L11)", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCase({ turns: 3 }), async (given) => {
        const before = JSON.stringify(given.history);
        let log = given.history;
        const logs: (readonly HistoryEntry[])[] = [];
        const layers: string[] = [];
        for (let layer = 0; layer < 3; layer++) {
          const result = await compress({ ...given, history: log });
          const compactions = result.outcome === "compressed" ? result.compactions : [];
          for (const compaction of compactions) {
            logs.push(log);
            layers.push(compaction.summary.id);
            log = addCompactions(log, [compaction]);
          }
        }
        for (const other of viewsOf(given.history)) {
          if (other === given.view) continue;
          expect(JSON.stringify(applyCompactions(log, other))).toBe(before);
        }
        for (const id of layers.toReversed()) {
          log = expandCompaction(log, id);
          const earlier = logs.pop() ?? [];
          expect(JSON.stringify(log)).toBe(JSON.stringify(earlier));
          expect(JSON.stringify(applyCompactions(log, given.view))).toBe(
            JSON.stringify(applyCompactions(earlier, given.view)),
          );
        }
        expect(JSON.stringify(log)).toBe(before);
      }),
      { numRuns: Math.ceil(RUNS.numRuns / 2) },
    );
  });

  it("leaves everything as it was, byte for byte, whatever the model does (L8, L11)", async () => {
    const outcomes = new Map<string, Set<string>>();
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), fc.constantFrom(...zoo), async (given, one) => {
        const before = JSON.stringify(given.history);
        const { outcome, ...details } = await compress(given, { model: one.model });
        const seen = outcomes.get(one.name) ?? new Set();
        outcomes.set(one.name, seen.add(outcome));

        expect(JSON.stringify(given.history)).toBe(before);
        if (!one.answers) expect(outcome).not.toBe("compressed");
        if (outcome === "failed") {
          const { reason } = { reason: "", ...details };
          expect(reason).not.toContain("secret");
        }
      }),
      { numRuns: 6 * RUNS.numRuns },
    );
    for (const { name, answers } of zoo) {
      expect([name, outcomes.get(name)?.has(answers ? "compressed" : "failed")]).toEqual([
        name,
        true,
      ]);
    }
  });

  it("saves its share, keeps its cap, and comes to an end (L12)", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), fc.constantFrom(...WRITERS), async (given, writer) => {
        let log = given.history;
        let last: CompressionResult | undefined;
        for (let round = 0; round < 12 && last?.outcome !== "not-needed"; round++) {
          last = await compress(
            { ...given, history: log },
            { ...writer, ...(last && { state: last.state }) },
          );
          if (last.outcome !== "compressed") continue;
          for (const compaction of last.compactions) {
            const { tokensBefore, tokensAfter } = compaction;
            expect(tokensAfter).toBeLessThanOrEqual(0.8 * tokensBefore);
            expect(tokensAfter).toBeLessThanOrEqual(Math.max(200, tokensBefore / 5));
            expect(tokensAfter).toBe(counter.countEntry(compaction.summary));
            log = addCompactions(log, [compaction]);
          }
        }
        expect(last?.outcome).toBe("not-needed");
      }),
      RUNS,
    );
  });

  it("gives a summary no authority, and lets nothing out of its frame (L14)", async () => {
    const model = zoo.find(({ name }) => name === "breaks out")?.model ?? goodModel;
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), async (given) => {
        const result = await compress(given, { model });
        if (result.outcome !== "compressed") return;
        for (const { summary } of result.compactions) {
          expect(messageRole(summary)).toBe("user");
          const covered = coverageOf(given.history, summary.view)(summary) ?? [];
          const fromTools = covered.some(({ type }) => type === "observation" || type === "error");
          if (fromTools) expect(summary.trust).toBe("tool");
          const inside = textOf(summary.content).slice(1, -"</summary>".length).normalize("NFKC");
          expect(inside).not.toMatch(/<[^a-z]*(?:summary|system|history|\|)/i);
        }
      }),
      RUNS,
    );
  });

  it("gives with one call what the log shows after it", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), async (given) => {
        const { history, ...options } = given;
        const all = { ...FAST, ...options, model: goodModel, newId: ids() };
        const { entries, result } = await replaceHistoryWithSummary(history, { ...all, now });
        if (result.outcome !== "compressed") {
          expect(entries).toBe(history);
          return;
        }
        expect(entries).toEqual(applyCompactions(applyAll(given, result), given.view));
        // What is shown can be compressed again like the log.
        const again = { ...FAST, ...options, model: goodModel, now };
        expect(await compressHistory(entries, { ...again, newId: ids("z") })).toEqual(
          await compressHistory(applyAll(given, result), { ...again, newId: ids("z") }),
        );
      }),
      { numRuns: Math.ceil(RUNS.numRuns / 2) },
    );
  });
});

function compress(
  { history, ...given }: Case,
  writer: Partial<CompressOptions> = { model: goodModel },
): Promise<CompressionResult> {
  return compressHistory(history, { ...FAST, ...given, ...writer });
}

/** Each compaction alone and one after the other holds for the log. */
function applyAll({ history }: Case, result: CompressionResult): readonly HistoryEntry[] {
  const compactions = result.outcome === "compressed" ? result.compactions : [];
  for (const compaction of compactions) expect(areStillValid([compaction], history)).toBe(true);
  return addCompactions(history, compactions);
}

function coveredOf({ history }: Case, compactions: readonly Compaction[]): readonly HistoryEntry[] {
  return compactions.flatMap(
    (compaction) => coverageOf(history, compaction.summary.view)(compaction.summary) ?? [],
  );
}

function mustSurvive(entry: HistoryEntry, { history, view, preserveMemory }: Case): boolean {
  const members = history.filter((one) => isInView(one, view));
  const question = members.findLast(({ type }) => type === "user_message");
  const task = members.findLast(({ type }) => type === "task");
  return (
    entry.type === "system_message" ||
    entry.pinned === true ||
    entry.type === "summary" ||
    (entry.type === "memory" && preserveMemory) ||
    entry === question ||
    (entry.type === "attachment" && entry.messageId === question?.id) ||
    (entry === task && (question === undefined || view.startsWith("agent:")))
  );
}

/** The newest members of at most so many tokens; a result stays where its call does, an upload where its message does. */
function tailOf({ history, view, tailTokens }: Case): readonly HistoryEntry[] {
  let left = tailTokens;
  const members = history.filter((entry) => isInView(entry, view));
  const start = members.findLastIndex((entry) => (left -= counter.countEntry(entry)) < 0);
  return members
    .slice(start + 1)
    .filter(({ type }) => type !== "observation" && type !== "attachment");
}

function ids(prefix = "s"): () => string {
  let next = 0;
  return () => `new-${prefix}-${(next += 1)}`;
}

function now(): number {
  return 0;
}
