import * as core from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as check from "@agent-history/core/check";
import * as kit from "@agent-history/core/kit";
import { parseEntry } from "@agent-history/core/schema";
import { memoryStore } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { describeStrangeInput } from "../format/describe-strange-input.ts";
import { lawRuns } from "../law-runs.ts";
import { strangeEntries } from "../strange-values.ts";

const history = fc.sample(arbitraryHistory(), { numRuns: 40, seed: 7 }).flat();
const samples = [...new Map(history.map((entry) => [entry.type, entry])).values()];
const strange = strangeEntries<HistoryEntry>(samples);
/** By their indexes: they cannot all be printed. */
const index = fc.nat({ max: strange.length - 1 });
const RUNS = { numRuns: lawRuns(60) };
/** They take the fields of one entry. */
const CONSTRUCTORS = [
  "action",
  "assistantMessage",
  "attachment",
  "customEntry",
  "delegation",
  "errorEntry",
  "final",
  "globalObservation",
  "memory",
  "observation",
  "opaque",
  "strategicPlan",
  "summary",
  "synthesis",
  "systemMessage",
  "task",
  "userMessage",
];
/** They take texts, sources, options or errors. */
const WITHOUT_ENTRIES = [
  "HistoryError",
  "agentView",
  "citedSources",
  "contentText",
  "countOption",
  "isObject",
  "isHistoryError",
  "throwIfAborted",
];
/** They weigh and write what has been repaired. */
const OF_REPAIRED_ENTRIES = [
  "addLoad",
  "hasMedia",
  "jsonBytes",
  "loadOf",
  "loadOfTools",
  "mediaOf",
  "withSources",
  "withoutReasoning",
];
const query = { clauses: [{ types: ["user_message"], lastTurns: { count: 2 } }] } as const;

/** Each alone, as functions of one entry take them. */
const each = (read: (entry: HistoryEntry) => unknown) => (entries: readonly HistoryEntry[]) =>
  entries.map(read);

describeStrangeInput("@agent-history/core", core, {
  samples,
  readers: {
    applyCompactions: (entries) => core.applyCompactions(entries, "thread"),
    findLastTask: (entries) => core.findLastTask(entries, "a"),
    findQuestion: (entries) => core.findQuestion(entries, { agentId: "a" }),
    groupExchanges: (entries) => core.groupExchanges(entries),
    isInView: each((entry) => core.isInView(entry, "agent:a")),
    isOverlay: each((entry) => core.isOverlay(entry)),
    isRendered: each((entry) => core.isRendered(entry)),
    repairHistory: (entries) => core.repairHistory(entries),
    messageRole: each((entry) => core.messageRole(entry, { agentId: "a" })),
    outermostActions: (entries) => core.outermostActions(core.pairCalls(entries)),
    overReadable: (entries) => core.overReadable(entries, (all) => all.map(({ type }) => type)),
    pairCalls: (entries) => core.pairCalls(entries),
    sameJson: each((entry) => core.sameJson(entry, entry)),
    renderSources: (entries) => {
      core.renderSources(entries as never);
      return entries.map((entry) => core.renderSources(entry as never));
    },
    splitTurns: (entries) => core.splitTurns(entries),
  },
  others: [...CONSTRUCTORS, ...WITHOUT_ENTRIES],
});

describeStrangeInput("@agent-history/core/kit", kit, {
  samples,
  readers: {
    selectEntries: (entries) => kit.selectEntries(entries, { ...query, maxBytes: 1000 }),
    selectPage: (entries) => kit.selectPage(entries, { ...query, maxEntries: 2 }),
    contentHash: each((entry) => kit.contentHash(entry)),
    isResultMedia: each((entry) => kit.isResultMedia(entry as never)),
    splitResultMedia: each((entry) => kit.splitResultMedia(entry, entry as never)),
    firstWithinLimits: (entries) =>
      kit.firstWithinLimits(
        entries,
        entries.map(() => true),
        query,
      ),
  },
  others: [
    ...OF_REPAIRED_ENTRIES,
    "clauseContext",
    "failSpan",
    "hideCutExchanges",
    "meterOf",
    "shownByClauses",
    "tracerOf",
  ],
});

describeStrangeInput("@agent-history/core/check", check, {
  samples,
  readers: { checkHistory: (entries) => check.checkHistory(entries, { before: entries }) },
  others: [],
});

describe("strange entries", () => {
  it("leave the others as they are", () => {
    const mixed = [null, ...samples, undefined] as readonly HistoryEntry[];

    expect(core.applyCompactions(mixed, "thread")).toEqual(samples);
    expect(core.repairHistory(mixed)).toEqual(core.repairHistory(samples));
    expect(core.splitTurns(mixed)).toEqual(core.splitTurns(samples));
    expect(core.groupExchanges(mixed)).toEqual(core.groupExchanges(samples));
    expect(kit.selectEntries(mixed, query)).toEqual(kit.selectEntries(samples, query));
  });

  it("that throw only beside others are left out, and the others are not", () => {
    const call = { id: "c1", name: "read", arguments: "{}" };
    const action = core.action({ id: "a1", toolCalls: [call] });
    const question = core.userMessage({ id: "u1", content: "Go on." });
    const odd: readonly HistoryEntry[] = [
      { ...action, id: Symbol("a") },
      { ...action, id: { toString: () => expect.fail() } },
      { ...action, toolCalls: [Object.defineProperty([1], 0, { get: () => expect.fail() })] },
    ] as never;

    for (const entry of odd) {
      const entries = [entry, question];
      expect(core.repairHistory(entries).entries.at(-1)).toBe(question);
      expect(core.groupExchanges(entries).at(-1)).toEqual({ kind: "single", entry: question });
      check.checkHistory(entries);
    }
  });

  it("among sources are left out of what is rendered of the others", () => {
    const source = { number: 3, id: "s", text: "Water boils." };
    const refusing = Object.defineProperty({ ...source }, "text", { get: () => expect.fail() });
    const sources = [null, refusing, { ...source, title: Symbol("t") }, source] as const;

    expect(core.renderSources(sources as never)).toBe("[source3]\nWater boils.");
    expect(core.renderSources(null as never)).toBe("");
  });

  it("are refused by parseEntry and by a store, with a typed error", async () => {
    const store = memoryStore();
    for (const at of fc.sample(index, RUNS)) {
      const entry = strange[at] as HistoryEntry;
      const appended = await store.append("t", [entry]).catch((error: unknown) => error);
      if (appended instanceof Error) expect(core.isHistoryError(appended)).toBe(true);
      try {
        parseEntry(entry);
      } catch (error) {
        expect(core.isHistoryError(error, "INVALID_ENTRY")).toBe(true);
      }
    }
  });

  it("do not hide a wrong option", () => {
    const mixed = [null, ...samples] as readonly HistoryEntry[];

    expect(() => kit.selectEntries(mixed, { ...query, maxBytes: -1 })).toThrow(/maxBytes/u);
    expect(() => kit.selectEntries(mixed, { ...query, after: "nobody" })).toThrow(/after/u);
  });
});
