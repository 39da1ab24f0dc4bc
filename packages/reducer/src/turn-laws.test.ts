import {
  assistantMessage,
  findQuestion,
  action,
  final,
  isHistoryError,
  repairHistory,
  observation,
  task,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, Reduction } from "@agent-history/core";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryLongHistory } from "../test-support/arbitrary-long-history.ts";
import { arbitraryTalk } from "../test-support/arbitrary-talk.ts";
import { chat, counter, idsAt, options } from "../test-support/character-counter.ts";
import { turnFaults } from "../test-support/turn-faults.ts";
import { repairAsPlanned } from "./engine/write.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";

const RUNS = { numRuns: lawRuns(800) };

const history = fc.oneof(
  { weight: 2, arbitrary: arbitraryTalk() },
  { weight: 1, arbitrary: arbitraryLongHistory() },
  { weight: 1, arbitrary: arbitraryHistory().map((entries) => repairHistory(entries).entries) },
);
const tokens = fc.integer({ min: 40, max: 1200 });

describe("fitToWindow, turns", () => {
  it("keeps turns whole, the newest entry and the order of roles for whoever looks (L15, L16)", () => {
    fc.assert(
      fc.property(history, tokens, fc.nat(), (entries, contextTokens, nth) => {
        const agents = [undefined, ...new Set(entries.map(({ agent }) => agent?.id))];
        const agentId = agents[nth % agents.length];
        const viewer = agentId === undefined ? {} : { agentId };
        const fitted = attempt(entries, { ...options(contextTokens), viewer });
        if (fitted !== undefined) expect(faultsOf(entries, fitted, viewer)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("drops older tasks of an agent as older requests of a user", () => {
    const agent = { id: "w", role: "worker" } as const;
    const log = [1, 2, 3].flatMap((nth) => [
      task({ id: `t${nth}`, agent, content: "t".repeat(20) }),
      final({ id: `f${nth}`, agent, content: "f".repeat(20) }),
    ]);
    const viewer = { agentId: "w" };
    expect(idsAt(log, 80, { viewer, firstRequestShare: 0 })).toBe("t2 f2 t3 f3");
  });

  it("keeps an agent's own task beside what the user asked, and takes no instruction that it gave for it", () => {
    const manager = { id: "m", role: "manager" } as const;
    const worker = { id: "w", role: "worker" } as const;
    const own = task({ id: "own", agent: manager, content: "t".repeat(20) });
    const log = [
      userMessage({ id: "u", content: "u".repeat(10) }),
      own,
      task({ id: "given", agent: worker, from: manager, content: "g".repeat(20) }),
      final({ id: "report", agent: worker, content: "r".repeat(160) }),
    ];
    for (const entries of [log, log.slice(1)]) {
      const { entries: fitted } = fitToWindow(entries, {
        ...options(110),
        viewer: { agentId: "m" },
      });
      expect(fitted).toContain(own);
      expect(fitted.at(-1)?.id).toBe("report");
    }
  });

  it("shortens the newest report rather than to drop or refuse it", () => {
    const log = [
      userMessage({ id: "u", content: "u".repeat(10) }),
      final({ id: "report", agent: { id: "w", role: "worker" }, content: "r".repeat(600) }),
    ];
    expect(idsAt(log, 100)).toBe("u report");
  });

  it("keeps as many of one turn's consecutive answers as fit", () => {
    const log = [
      userMessage({ id: "u", content: "q".repeat(10) }),
      ...[1, 2, 3, 4, 5, 6].map((nth) =>
        assistantMessage({ id: `a${nth}`, content: "a".repeat(10) }),
      ),
    ];
    expect(idsAt(log, 45)).toBe("u a4 a5 a6");
  });

  it("keeps the first request of an agent's history in a share of the window", () => {
    const call = { id: "c", name: "read", arguments: "{}" };
    const fields = { callId: "c", toolName: "read", outcome: "success", content: "" } as const;
    const log = [
      ...chat.slice(0, 2),
      action({ id: "x", toolCalls: [call] }),
      observation({ id: "o", ...fields }),
      ...chat.slice(2),
    ];
    expect(idsAt(log, 60, { firstRequestShare: 0.4 })).toBe("u1 a1 u3 a3 u4 a4");
    expect(idsAt(log, 60, { firstRequestShare: 0 })).toBe("u2 a2 u3 a3 u4 a4");
    expect(idsAt(chat, 60)).toBe("u2 a2 u3 a3 u4 a4");
  });
});

function attempt(entries: readonly HistoryEntry[], fit: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, fit);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

function faultsOf(
  entries: readonly HistoryEntry[],
  { entries: fitted, plan }: Reduction,
  viewer: { readonly agentId?: string } = {},
): readonly string[] {
  const { entries: before } = repairAsPlanned(entries, plan);
  const left = Number(plan.window.contextTokens) - plan.totalTokens;
  return turnFaults(before, fitted, viewer, {
    hasRoom: hasRoomForTurn(before, plan, viewer),
    fits: (entry) => counter.countEntry(entry) <= left,
  });
}

/** Tells whether the turn being answered fits beside what stays in any case, all of it as it is. */
function hasRoomForTurn(
  entries: readonly HistoryEntry[],
  { window }: Reduction["plan"],
  viewer: { readonly agentId?: string },
): boolean {
  const question = findQuestion(entries, viewer);
  // Requests in a row are one turn.
  const beside = new Set([question?.type, "attachment", "memory", "summary", "system_message"]);
  let start = question === undefined ? entries.length : entries.indexOf(question);
  while (start > 0 && beside.has(entries[start - 1]?.type)) start -= 1;
  const needed = entries
    .filter(({ type, pinned }, index) => {
      return index >= start || type === "system_message" || type === "summary" || pinned === true;
    })
    .reduce((sum, entry) => sum + counter.countEntry(entry), 0);
  return needed <= Number(window.contextTokens);
}
