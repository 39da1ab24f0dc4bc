import type { HistoryEntry, ObservationEntry } from "@agent-history/core";
import type { Violation } from "@agent-history/core/check";
import { checkHistory } from "@agent-history/core/check";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory, BREAKAGES } from "./arbitrary-broken-history.ts";
import { arbitraryHistory } from "./arbitrary-history.ts";
import { lawRuns } from "./law-runs.ts";

const RUNS = { numRuns: lawRuns(100) };

describe("arbitraryHistory", () => {
  it("gives no flaw, whatever the marks", () => {
    fc.assert(
      fc.property(arbitraryHistory(), (entries) => {
        expect(findFlaws(entries)).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each([
    { running: true },
    { running: false },
    { flat: true },
    { flat: false },
    { flat: true, withAgents: "none" },
    { flat: false, withAgents: "none" },
    { flat: false, withAgents: "some" },
    { maxEntries: 7 },
  ] as const)("gives no flaw with %j", (constraints) => {
    fc.assert(
      fc.property(arbitraryHistory(constraints), (entries) => {
        expect(findFlaws(entries)).toEqual([]);
      }),
      { numRuns: lawRuns(40) },
    );
  });
});

describe("checkHistory", () => {
  it("finds nothing in a well-formed history, but that agents interleave", () => {
    fc.assert(
      fc.property(arbitraryHistory(), (entries) => {
        expect(checkByAgent(entries)).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("arbitraryBrokenHistory", () => {
  it.each(BREAKAGES)("breaks many histories by %s", (breakage) => {
    // Most have what this breaks.
    const constraints = { turns: 2, flat: breakage !== "mixed-agents" } as const;
    const drawn = fc.sample(
      arbitraryBrokenHistory({ ...constraints, breakages: [breakage], running: false }),
      { numRuns: 200, seed: 1 },
    );

    expect(drawn.filter((entries) => findFlaws(entries).length > 0).length).toBeGreaterThan(60);
  });

  // Core pairs a call and a result that both have an empty id; to refuse that is the schema's affair.
  it.each(BREAKAGES.filter((name) => name !== "missing-call-id"))(
    "gives checkHistory something to find where it breaks by %s (L1, L6)",
    (breakage) => {
      fc.assert(
        fc.property(arbitraryBrokenHistory({ breakages: [breakage] }), (entries) => {
          if (findFlaws(entries).length > 0) expect(checkByAgent(entries)).not.toEqual([]);
        }),
        { numRuns: lawRuns(80) },
      );
    },
  );

  it("gives checkHistory something to find however many breakages meet (L1, L6)", () => {
    const breakages = BREAKAGES.filter((name) => name !== "missing-call-id");
    fc.assert(
      fc.property(arbitraryBrokenHistory({ breakages }), (entries) => {
        if (findFlaws(entries).length > 0) expect(checkByAgent(entries)).not.toEqual([]);
      }),
      { numRuns: lawRuns(400) },
    );
  });
});

/** What core finds: in the log, but for agents that interleave there, and in what each agent wrote. */
function checkByAgent(entries: readonly HistoryEntry[]): readonly Violation[] {
  const inLog = checkHistory(entries).filter(({ rule }) => rule !== "scattered-exchange");
  const agentIds = new Set(entries.map((entry) => entry.agent?.id));
  const inTraces = [...agentIds].flatMap((agentId) =>
    checkHistory(entries.filter((entry) => entry.agent?.id === agentId)),
  );
  return [...inLog, ...inTraces];
}

/** Says what is wrong with a log, without help from core: it follows each agent as its loop would. */
function findFlaws(entries: readonly HistoryEntry[]): readonly string[] {
  const flaws = [...findDoubledIds(entries), ...findDoubledNumbers(entries)];
  const waiting = new Map<string | undefined, Waiting>();
  for (const entry of entries) {
    const own = waiting.get(entry.agent?.id);
    if (entry.type === "observation") {
      if (!takeAnswer(entry, own)) flaws.push(`orphan ${entry.id}`);
      continue;
    }
    const stopped = entry.type === "user_message" ? [...waiting.values()] : [own];
    if (stopped.some((each) => (each?.calls.size ?? 0) > 0)) flaws.push(`left ${entry.id}`);
    waiting.delete(entry.agent?.id);
    if (entry.type !== "action") continue;
    const calls = new Set(entry.toolCalls.map(({ id }) => id));
    if (calls.size < entry.toolCalls.length || calls.has("")) flaws.push(`calls of ${entry.id}`);
    waiting.set(entry.agent?.id, { actionId: entry.id, calls });
  }
  return flaws;
}

/** What an agent waits for. */
interface Waiting {
  readonly actionId: string;
  readonly calls: Set<string>;
}

function takeAnswer({ callId, actionId }: ObservationEntry, waiting: Waiting | undefined): boolean {
  if (waiting === undefined || (actionId ?? waiting.actionId) !== waiting.actionId) return false;
  return waiting.calls.delete(callId);
}

function findDoubledIds(entries: readonly HistoryEntry[]): readonly string[] {
  const ids = entries.map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `doubled id ${id}`);
}

function findDoubledNumbers(entries: readonly HistoryEntry[]): readonly string[] {
  const sources = entries.flatMap((entry) => ("sources" in entry ? (entry.sources ?? []) : []));
  return sources
    .filter(({ number, id }) => sources.some((other) => other.number === number && other.id !== id))
    .map(({ number }) => `doubled number ${number}`);
}
