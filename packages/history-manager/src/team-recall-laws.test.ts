import { final, isHistoryError, task, userMessage } from "@agent-history/core";
import type { Agent, HistoryEntry, HistoryFilter, Reduction } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";
import {
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
import { applyPlan, fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { recallBlocks } from "@agent-history/reducer/recall";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { expectLaws } from "../../reducer/test-support/expect-laws.ts";
import {
  arbitraryTeamSteps,
  LEAD,
  MARK,
  PLANNER,
  READERS,
} from "../test-support/arbitrary-team-steps.ts";
import { counter } from "../test-support/character-counter.ts";

/** An agent of the team, with what it sees. */
interface Seat {
  readonly agent: Agent;
  readonly filter: HistoryFilter;
}

const SEATS: readonly Seat[] = [
  {
    agent: LEAD,
    filter: orchestratorHistoryFilter({
      maxConversationTurns: Infinity,
      include: ["own", "reports", "syntheses"],
    }),
  },
  { agent: PLANNER, filter: managerHistoryFilter() },
  ...READERS.map((agent) => ({ agent, filter: workerHistoryFilter({ memory: "thread" }) })),
];

describe("recall blocks in a two-level team", () => {
  it("quote what their agent's own view has, each by its own plan, the same after a restart, whatever is edited and erased", () => {
    const made = new Map(SEATS.map(({ agent }) => [agent.role, 0]));
    fc.assert(
      fc.property(
        arbitraryTeamSteps(),
        fc.integer({ min: 500, max: 900 }),
        fc.boolean(),
        (steps, contextTokens, quotesTools) => {
          const before = new Map<Seat, Reduction>();
          const sent = new Map<Seat, string>();
          let thread: readonly HistoryEntry[] = [];
          for (const [nth, step] of steps.entries()) {
            const blocks = [...before.values()].flatMap(blocksOf);
            thread = step(
              thread,
              nth,
              blocks.flatMap(({ quotes }) => quotes),
            );
            for (const seat of SEATS) {
              const view = viewOf(seat, thread);
              const given = { contextTokens, quotesTools, before: before.get(seat) };
              const isSame = JSON.stringify(view) === sent.get(seat);
              const fitted = isSame ? undefined : expectOwn(seat, view, given);
              if (fitted === undefined) continue;
              sent.set(seat, JSON.stringify(view));
              before.set(seat, fitted);
              const { role } = seat.agent;
              made.set(role, (made.get(role) ?? 0) + blocksOf(fitted).length);
            }
          }
        },
      ),
      { numRuns: lawRuns(20) },
    );
    expect(made.get("orchestrator")).toBeGreaterThan(0);
    expect(made.get("worker")).toBeGreaterThan(0);
  });

  it("quote for a manager what its own workers reported, and for a worker its own work", () => {
    const [mine, others] = READERS;
    const given = { contextTokens: 600, quotesTools: false };
    const asked = userMessage({ id: "u", content: "Who painted what? mark0x" });
    const log: HistoryEntry[] = [asked];
    const told = new Map<Seat, readonly string[]>();
    const before = new Map<Seat, Reduction>();
    for (const [nth, thing] of [
      "kayak",
      "violin",
      "garden",
      "kayak",
      "violin",
      "kayak",
    ].entries()) {
      log.push(
        task({ id: `i${nth}`, agent: PLANNER, from: LEAD, content: `Who painted the ${thing}?` }),
      );
      for (const agent of [mine, others].filter((one) => one !== undefined)) {
        const taskId = `t${nth}${agent.id}`;
        log.push(
          task({ id: taskId, agent, from: PLANNER, content: `Find who painted the ${thing}.` }),
        );
        const content = `${agent.id} found that Ann painted the ${thing}. ${"It is old. ".repeat(8)}`;
        log.push(final({ id: `f${nth}${agent.id}`, agent, taskId, content }));
      }
      for (const seat of SEATS.slice(1)) {
        const fitted = expectOwn(seat, viewOf(seat, log), { ...given, before: before.get(seat) });
        if (fitted === undefined) continue;
        before.set(seat, fitted);
        told.set(
          seat,
          (told.get(seat) ?? []).concat(blocksOf(fitted).flatMap(({ quotes }) => quotes)),
        );
      }
    }
    const ofSeats = SEATS.slice(1).map((seat) => told.get(seat) ?? []);
    for (const quotes of ofSeats) expect(quotes.length).toBeGreaterThan(0);
    const [byPlanner = [], byMine = [], byOthers = []] = ofSeats;
    expect(byPlanner.every((id) => id.startsWith("f"))).toBe(true);
    expect(byMine.every((id) => id.endsWith("reader-0"))).toBe(true);
    expect(byOthers.every((id) => id.endsWith("reader-1"))).toBe(true);
  });
});

interface Given {
  readonly contextTokens: number;
  readonly quotesTools: boolean;
  readonly before: Reduction | undefined;
}

/** Fits what an agent sees, here and as another process would, and expects blocks of nothing else. */
function expectOwn(seat: Seat, view: readonly HistoryEntry[], given: Given): Reduction | undefined {
  if (view.length === 0) return undefined;
  const warm = fit(seat, view, given, (plan) => plan);
  const cold = fit(seat, structuredClone(view), given, stored);
  expect(JSON.stringify(cold)).toBe(JSON.stringify(warm));
  if (warm === undefined) return undefined;
  const viewer = { agentId: seat.agent.id };
  expectLaws(view, warm, { window: given.contextTokens, counter, viewer });
  const applied = applyPlan(structuredClone(view), stored(warm.plan));
  expect(JSON.stringify(applied)).toBe(JSON.stringify(warm.entries));
  const seen = new Set(view.map(({ id }) => id));
  const marks = new Set(view.flatMap(marksIn));
  const ids = new Set(blocksOf(warm).map(({ id }) => id));
  for (const entry of warm.entries) if (view.includes(entry)) seen.delete(entry.id);
  // Of this view, and not what stands there whole.
  expect(blocksOf(warm).flatMap(({ quotes }) => quotes.filter((id) => !seen.has(id)))).toEqual([]);
  const blocks = warm.entries.filter(({ id }) => ids.has(id));
  expect(blocks).toHaveLength(ids.size);
  expect(blocks.flatMap(marksIn).filter((mark) => !marks.has(mark))).toEqual([]);
  return warm;
}

function viewOf({ agent, filter }: Seat, thread: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const context = { role: agent.role, agentId: agent.id };
  const selected = selectEntries(thread, filter.query(context));
  return filter.refine?.(selected, context) ?? selected;
}

function fit(
  { agent, filter }: Seat,
  view: readonly HistoryEntry[],
  { contextTokens, quotesTools, before }: Given,
  passed: (plan: Reduction["plan"]) => Reduction["plan"],
): Reduction | undefined {
  const { view: of } = filter.query({ role: agent.role, agentId: agent.id });
  try {
    return fitToWindow(view, {
      window: { contextTokens },
      counter,
      scorer: lexicalScorer(),
      recall: recallBlocks({ share: 0.5, headShare: 0.3, quotesTools }),
      viewer: { agentId: agent.id },
      ...(of !== undefined && { view: of }),
      ...(before && { previousPlan: passed(before.plan) }),
    });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

function stored(plan: Reduction["plan"]): Reduction["plan"] {
  const read: Reduction["plan"] = JSON.parse(JSON.stringify(plan));
  return read;
}

function blocksOf({ plan: { head, recalls = [] } }: Reduction) {
  return head === undefined ? recalls : [head, ...recalls];
}

function marksIn(entry: HistoryEntry): readonly string[] {
  return JSON.stringify(entry).match(MARK) ?? [];
}
