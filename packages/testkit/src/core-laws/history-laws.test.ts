import type { HistoryEntry, HistoryView } from "@agent-history/core";
import {
  agentView,
  groupExchanges,
  isInView,
  repairHistory,
  splitTurns,
} from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { selectEntries } from "@agent-history/core/kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory } from "../arbitrary-broken-history.ts";
import { arbitraryHistory } from "../arbitrary-history.ts";
import { deepFreeze } from "../deep-freeze.ts";
import { lawRuns } from "../law-runs.ts";

const RUNS = { numRuns: lawRuns(120) };
const anyHistory = fc.oneof(
  arbitraryHistory(),
  arbitraryHistory({ nestedCalls: true }),
  arbitraryBrokenHistory(),
);

describe("splitTurns", () => {
  it("puts every entry into exactly one turn, in order (L9, L2)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const turns = splitTurns(deepFreeze(entries));
        const split = turns.flatMap((turn) => turn.entries);
        expect(new Set(split)).toEqual(new Set(entries));
        expect(split.length).toBe(entries.length);
        expect(turns.every((turn) => turn.entries.length > 0)).toBe(true);
        for (const turn of turns) expect(isSubsequence(turn.entries, entries)).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("groupExchanges", () => {
  it("puts every entry into exactly one group, the groups in order (L9, L2)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const groups = groupExchanges(deepFreeze(entries));
        const members = groups.flatMap((group): readonly HistoryEntry[] =>
          group.kind === "single" ? [group.entry] : group.entries,
        );
        expect(members.length).toBe(entries.length);
        expect(new Set(members)).toEqual(new Set(entries));
        const heads = groups.map((group) => (group.kind === "single" ? group.entry : group.action));
        expect(isSubsequence(heads, entries)).toBe(true);
      }),
      RUNS,
    );
  });

  it("pairs each call of a well-formed history of one agent's own entries (L1)", () => {
    fc.assert(
      fc.property(
        arbitraryHistory({ running: false, withAgents: "all", nestedCalls: true }),
        (entries) => {
          for (const group of groupExchanges(entries)) {
            if (group.kind === "exchange") expect(group.unanswered).toEqual([]);
            else expect(group.entry.type).not.toBe("observation");
          }
        },
      ),
      RUNS,
    );
  });
});

describe("checkHistory", () => {
  it("finds nothing wrong in any agent's own view of a well-formed history (L1, L6)", () => {
    fc.assert(
      fc.property(arbitraryHistory({ withAgents: "all", nestedCalls: true }), (entries) => {
        for (const view of viewsOf(entries)) {
          const own = entries.filter((entry) => isInView(entry, view));
          expect(checkHistory(own, { before: own })).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it("finds every system message that is taken away (L2)", () => {
    fc.assert(
      fc.property(soundHistory(), fc.nat(), (entries, choice) => {
        const messages = entries.filter((entry) => entry.type === "system_message");
        fc.pre(messages.length > 0);
        const lost = messages[choice % messages.length];
        const found = checkHistory(
          entries.filter((entry) => entry !== lost),
          { before: entries },
        );
        expect(found.map(({ rule, entryId }) => [rule, entryId])).toContainEqual([
          "system-message-lost",
          lost?.id,
        ]);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("finds every exchange, message or pair of them that was put elsewhere (L2)", () => {
    fc.assert(
      fc.property(soundHistory(), fc.nat(), (entries, choice) => {
        const groups = groupExchanges(entries);
        fc.pre(groups.length > 1);
        const at = choice % (groups.length - 1);
        const swapped = groups.map((group, index) => {
          if (index === at) return groups[at + 1] ?? group;
          return index === at + 1 ? (groups[at] ?? group) : group;
        });
        const moved = swapped.flatMap((group): readonly HistoryEntry[] =>
          group.kind === "single" ? [group.entry] : group.entries,
        );
        const rules = checkHistory(moved, { before: entries }).map(({ rule }) => rule);
        expect(rules).toContain("order-changed");
      }),
      { numRuns: lawRuns(100) },
    );
  });
});

describe("repairHistory", () => {
  it("repairs calls made by calls, whatever of them was lost or came late (L1, L5)", () => {
    const nested = arbitraryHistory({ nestedCalls: true, withAgents: "all" });
    const moves = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.boolean()), { maxLength: 4 });
    fc.assert(
      fc.property(nested, moves, (entries, wanted) => {
        const log = wanted.reduce<readonly HistoryEntry[]>((before, [from, by, isLost]) => {
          const index = from % Math.max(1, before.length);
          const rest = before.toSpliced(index, 1);
          const moved = before[index];
          return isLost || moved === undefined ? rest : rest.toSpliced(index + by, 0, moved);
        }, entries);
        const { entries: repaired } = repairHistory(deepFreeze(log));
        expect(checkHistory(repaired, { before: repaired })).toEqual([]);
        expect(repairHistory(repaired).entries).toBe(repaired);
      }),
      RUNS,
    );
  });

  it("repairs whatever is broken but numbers, and changes nothing that it was given (L1, L8)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const { entries: repaired } = repairHistory(deepFreeze(entries));
        const laws = checkHistory(repaired).map(({ law }) => law);
        expect(laws.filter((law) => law !== "L6")).toEqual([]);
        expect(
          checkHistory(repaired, { before: repaired }).filter(({ law }) => law !== "L6"),
        ).toEqual([]);
      }),
      RUNS,
    );
  });

  it("returns what is sound by identity, and repairing twice is repairing once (L5)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const { entries: repaired, repairs } = repairHistory(entries);
        expect(repaired === entries).toBe(repairs.length === 0);
        expect(repairs.length === 0).toBe(checkHistory(entries).every(({ law }) => law !== "L1"));
        const again = repairHistory(repaired);
        expect(again.entries).toBe(repaired);
        expect(again.repairs).toEqual([]);
      }),
      RUNS,
    );
  });

  it("loses nothing but copies and results that answer no call (L9)", () => {
    fc.assert(
      fc.property(anyHistory, (entries) => {
        const { entries: repaired, repairs } = repairHistory(entries);
        const dropped = repairs.filter(({ kind }) => kind.startsWith("dropped")).length;
        const added = repairs.filter(({ kind }) => kind === "added-result").length;
        expect(repaired.length).toBe(entries.length - dropped + added);
        const orphans = new Set(
          repairs.flatMap(({ kind, entryId }) => (kind === "dropped-orphan" ? [entryId] : [])),
        );
        const kept = new Set(repaired.map(({ id }) => id));
        const lost = entries.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
        expect(lost.filter((id) => !orphans.has(id))).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("selectEntries", () => {
  it("shows a subsequence within its limits, and no exchange in part (L1, L2, L7, L8)", () => {
    const limit = fc.oneof(fc.nat({ max: 45 }), fc.constant(Infinity));
    fc.assert(
      fc.property(soundHistory(), limit, limit, (entries, maxEntries, bytes) => {
        const limits = { maxEntries, maxBytes: bytes * 100 };
        const query = { clauses: [{}], ...limits, wholeExchanges: true };
        const shown = selectEntries(deepFreeze(entries), query);
        expect(isSubsequence(shown, entries)).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(maxEntries);
        const sizes = shown.map((entry) => new TextEncoder().encode(JSON.stringify(entry)).length);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytes * 100);
        expect(checkHistory(shown).filter(({ law }) => law === "L1")).toEqual([]);
        expect(selectEntries(shown, query)).toBe(shown);
      }),
      RUNS,
    );
  });

  it("shows each type where a clause asks for it", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), (entries, choice) => {
        fc.pre(entries.length > 0);
        const type = entries[choice % entries.length]?.type ?? "action";
        const query = { clauses: [{ types: [type] }] };
        expect(selectEntries(entries, query)).toEqual(
          entries.filter((entry) => entry.type === type),
        );
      }),
      { numRuns: lawRuns(100) },
    );
  });
});

function soundHistory(): fc.Arbitrary<readonly HistoryEntry[]> {
  return arbitraryHistory().map((entries) => repairHistory(entries).entries);
}

function viewsOf(entries: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = new Set(entries.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  return ["conversation", ...[...agents].map(agentView)];
}

function isSubsequence(part: readonly HistoryEntry[], whole: readonly HistoryEntry[]): boolean {
  let next = 0;
  for (const entry of whole) if (entry === part[next]) next += 1;
  return next === part.length;
}
