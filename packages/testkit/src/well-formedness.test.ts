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
  // Core pairs a call and a result that both have an empty id; to refuse that is the schema's affair.
  it.each(BREAKAGES.filter((name) => name !== "missing-call-id"))(
    "gives checkHistory something to find by %s",
    (breakage) => {
      fc.assert(
        fc.property(
          arbitraryBrokenHistory({ breakages: [breakage], maxBreakages: 1 }),
          ({ entries }) => {
            expect(checkByAgent(entries)).not.toEqual([]);
          },
        ),
        { numRuns: lawRuns(40) },
      );
    },
  );

  it.each(BREAKAGES)("breaks a history by %s", (breakage) => {
    fc.assert(
      fc.property(
        arbitraryBrokenHistory({ breakages: [breakage], maxBreakages: 1 }),
        ({ entries, breakages }) => {
          expect(breakages).toEqual([breakage]);
          expect(findFlaws(entries)).not.toEqual([]);
        },
      ),
      { numRuns: lawRuns(40) },
    );
  });

  it("repairs no breakage by another", () => {
    const breakages = ["doubled-entry", "doubled-id", "lost-action", "lost-result"] as const;
    const small = arbitraryBrokenHistory({ breakages, maxEntries: 16, flat: true });
    fc.assert(
      fc.property(small, ({ entries }) => {
        expect(findFlaws(entries)).not.toEqual([]);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("breaks a history, however many breakages meet", () => {
    fc.assert(
      fc.property(arbitraryBrokenHistory({ maxBreakages: 6 }), ({ entries }) => {
        expect(findFlaws(entries)).not.toEqual([]);
      }),
      RUNS,
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
