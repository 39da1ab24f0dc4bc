import { agentView } from "@agent-history/core";
import type { CompressionStrategy, HistoryEntry, HistoryView } from "@agent-history/core";
import { arbitraryHistory, deepFreeze } from "@agent-history/testkit";
import type { HistoryConstraints } from "@agent-history/testkit";
import * as fc from "fast-check";

import {
  chunked,
  fromLastNMessages,
  fromTimestamp,
  noCompression,
  retrieveFacts,
  wholeHistoryPerSystemMessage,
  wholeHistory,
} from "../src/strategies.ts";

/** Wants what it may not have: items twice, out of order, protected ones, ones of its own. */
const greedy: CompressionStrategy = ({ items }) => ({
  spans: [
    { covers: items.toReversed().concat(items), reads: items },
    { covers: items },
    { covers: items.map((item) => ({ ...item, isCoverable: true })) },
  ],
});

const strategies: readonly CompressionStrategy[] = [
  wholeHistory,
  wholeHistory,
  wholeHistoryPerSystemMessage,
  fromLastNMessages(5),
  fromLastNMessages(Infinity),
  fromTimestamp(0),
  fromTimestamp(1_700_000_000_000),
  chunked({ size: 4 }),
  chunked({ maxTokens: 120 }),
  retrieveFacts([
    { keyword: "what_happened", description: "What the agent did", factType: "multiple" },
    { keyword: "solved", description: "Was it solved?", factType: "single" },
  ]),
  noCompression,
  greedy,
];

/** A history, one of its views, a strategy. */
export interface Case {
  readonly history: readonly HistoryEntry[];
  readonly view: HistoryView;
  readonly strategy: CompressionStrategy;
  readonly tailTokens: number;
  readonly preserveMemory: boolean;
}

export function arbitraryCase(constraints: HistoryConstraints = {}): fc.Arbitrary<Case> {
  return fc
    .record({
      history: arbitraryHistory({ maxEntries: 60, text: { maxLength: 1200 }, ...constraints }),
      choice: fc.nat(),
      strategy: fc.constantFrom(...strategies),
      tailTokens: fc.constantFrom(0, 0, 30, 300),
      preserveMemory: fc.boolean(),
    })
    .map(({ choice, history, ...others }) => {
      const views = viewsOf(history);
      const view = views[choice % views.length] ?? "thread";
      return { ...others, view, history: deepFreeze(history) };
    });
}

/** The thread twice, as it has most to cover. */
export function viewsOf(entries: readonly HistoryEntry[]): readonly HistoryView[] {
  const agents = new Set(entries.flatMap(({ agent }) => (agent === undefined ? [] : [agent.id])));
  return ["thread", "thread", "conversation", ...[...agents].map(agentView)];
}
