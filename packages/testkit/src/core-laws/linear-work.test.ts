import { applyCompactions, groupExchanges, repairHistory } from "@agent-history/core";
import type { ActionEntry, HistoryEntry, ObservationEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { countWork } from "../../test-support/count-work.ts";

type Make = (count: number) => readonly HistoryEntry[];
type Read = (history: readonly HistoryEntry[]) => unknown;

/** Histories that once cost the square of their length, or ended the process. */
const HISTORIES: readonly (readonly [string, Make])[] = [
  ["parallel agents", parallelAgents],
  ["results of one action", resultsOfOne],
  ["results of one action, the last first", backwards],
  ["calls made by one call", calledByOne],
  ["calls made by calls made by calls", calledInARow],
  ["open calls of one id", (count) => [...openCalls(count), ...results(count, "c")]],
  ["sources of one result", sourcesOfOne],
  ["entries of one id", (count) => messages(count).map((one) => ({ ...one, id: "u" }))],
  ["messages of one turn", messages],
];

const READERS: readonly (readonly [string, Read])[] = [
  ["repairHistory", repairHistory],
  ["checkHistory, told what was before", (before) => checkHistory(before.slice(1), { before })],
];

describe.each(READERS)("%s", (_, read) => {
  it.each(HISTORIES)("does work in proportion to the number of %s", (__, make) => {
    expectLinear(1000, make, read);
  });
});

describe("groupExchanges", () => {
  it.each<[string, number, Make]>([
    ["parallel agents", 150_000, parallelAgents],
    ["results of one action", 160_000, resultsOfOne],
  ])("does no more for each of many %s: %i", (_, count, make) => {
    expectLinear(count, make, groupExchanges);
  });
});

describe("applyCompactions", () => {
  it.each<[string, (nth: number, count: number) => readonly (readonly [number, number])[]]>([
    ["do not apply, as they end where nothing is", (nth, count) => [[0, count + nth]]],
    ["cover what another covers", (_, count) => [[0, count - 1]]],
    ["cover a little more each", (nth) => [[0, nth]]],
    [
      "have their last run out of order",
      (nth, count) => [
        [nth, count - 1],
        [0, 0],
      ],
    ],
  ])("does work in proportion to the number of summaries that %s", (_, coversOf) => {
    const make = (count: number): readonly HistoryEntry[] => [
      ...messages(count).map((entry, nth) => ({ ...entry, pinned: nth % 2 === 0 })),
      ...Array.from({ length: count }, (__, nth) => summary(nth, coversOf(nth, count))),
    ];

    expectLinear(1000, make, (history) => applyCompactions(history, "conversation"));
  });
});

/** What it costs for each entry is at most twice of what it costs among a twenty-fifth as many. */
function expectLinear(count: number, make: Make, read: Read): void {
  const work = (size: number): number => {
    const history = make(size);
    return countWork(() => read(history)) / size;
  };

  expect(work(count) / work(count / 25)).toBeLessThan(2);
}

function action(nth: number, count: number, callerId?: string): ActionEntry {
  return {
    type: "action",
    id: `a${nth}`,
    createdAtMs: nth,
    agent: { id: "w", role: "worker" },
    toolCalls: Array.from({ length: count }, (_, call) => ({
      id: `c${nth + call}`,
      name: "read",
      arguments: "{}",
      ...(callerId !== undefined && { callerId }),
    })),
  };
}

function results(count: number, callId?: string): readonly ObservationEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    type: "observation",
    id: `o${nth}`,
    createdAtMs: nth,
    agent: { id: "w", role: "worker" },
    callId: callId ?? `c${nth}`,
    toolName: "read",
    outcome: "success",
    content: "Fine.",
  }));
}

function parallelAgents(count: number): readonly HistoryEntry[] {
  const agent = (nth: number) => ({ id: `w${nth}`, role: "worker" }) as const;
  return [
    ...Array.from({ length: count }, (_, nth) => ({ ...action(nth, 1), agent: agent(nth) })),
    ...results(count).map((result, nth) => ({ ...result, agent: agent(nth) })),
  ];
}

function resultsOfOne(count: number): readonly HistoryEntry[] {
  return [action(0, count), ...results(count)];
}

function backwards(count: number): readonly HistoryEntry[] {
  return [action(0, count), ...results(count).toReversed()];
}

function calledByOne(count: number): readonly HistoryEntry[] {
  const called = Array.from({ length: count }, (_, nth) => action(nth + 1, 1, "c0"));
  return [action(0, 1), ...called, ...results(count).toReversed()];
}

function calledInARow(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => action(nth, 1, `c${nth - 1}`));
}

function openCalls(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    ...action(nth, 1),
    toolCalls: [{ id: "c", name: "read", arguments: "{}" }],
  }));
}

function sourcesOfOne(count: number): readonly HistoryEntry[] {
  const sources = Array.from({ length: count }, (_, nth) => ({
    number: nth + 1,
    id: `s${nth}`,
    text: "Rome.",
  }));
  return [action(0, 1), ...results(1).map((result) => ({ ...result, sources }))];
}

function messages(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    type: "user_message",
    id: `u${nth}`,
    createdAtMs: nth,
    content: "Go on.",
  }));
}

function summary(nth: number, runs: readonly (readonly [number, number])[]): HistoryEntry {
  return {
    type: "summary",
    id: `s${nth}`,
    createdAtMs: nth,
    content: "Rome.",
    strategy: "chunked",
    trust: "user",
    view: "conversation",
    covers: runs.map(([from, to]) => ({ from: `u${from}`, to: `u${to}` })),
  };
}
