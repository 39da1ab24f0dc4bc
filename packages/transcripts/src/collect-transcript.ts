import type { HistoryEntry } from "@agent-history/core";

import type { ModelCall } from "./model-call.ts";
import type {
  CompactionItem,
  EntryItem,
  ProblemItem,
  SessionFacts,
  TranscriptItem,
} from "./transcript-item.ts";

/** A whole transcript in memory. */
export interface Transcript {
  readonly facts: SessionFacts;
  /** The main history as its agent ended with it: rewound branches and subagents left out. */
  readonly entries: readonly HistoryEntry[];
  /** The items of `entries`. */
  readonly main: readonly EntryItem[];
  /** The histories of subagents whose lines stand in this transcript. */
  readonly agents: ReadonlyMap<string, readonly EntryItem[]>;
  /** What was rewound, or stood before the history was cleared. */
  readonly abandoned: readonly EntryItem[];
  readonly calls: readonly ModelCall[];
  readonly compactions: readonly CompactionItem[];
  readonly problems: readonly ProblemItem[];
}

/**
 * Collects the items of a transcript. Linear; it holds all entries in memory.
 *
 * @example
 * ```ts
 * import { claudeCodeReader, collectTranscript } from "@agent-history/transcripts";
 *
 * const reader = claudeCodeReader();
 * const message = { role: "user", content: "Run the tests." };
 * const items = reader.read(JSON.stringify({ type: "user", uuid: "u1", message }));
 * collectTranscript([...items, ...reader.end()]).entries.map(({ type }) => type);
 * // => ["user_message"]
 * ```
 */
export function collectTranscript(items: Iterable<TranscriptItem>): Transcript {
  const facts: { -readonly [Key in keyof SessionFacts]: SessionFacts[Key] } = {};
  const all: EntryItem[] = [];
  const agents = new Map<string, EntryItem[]>();
  const calls: ModelCall[] = [];
  const compactions: CompactionItem[] = [];
  const problems: ProblemItem[] = [];
  for (const item of items) {
    if (item.kind === "session") Object.assign(facts, item.facts);
    else if (item.kind === "call") calls.push(item.call);
    else if (item.kind === "compaction") compactions.push(item);
    else if (item.kind === "problem") problems.push(item);
    else if (item.kind === "entry" && item.agentId === undefined) all.push(item);
    else if (item.kind === "entry" && item.agentId !== undefined) {
      const own = agents.get(item.agentId) ?? [];
      own.push(item);
      agents.set(item.agentId, own);
    }
  }
  const isMain = currentBranch(all);
  const main = all.filter(isMain);
  const abandoned = all.filter((item) => !isMain(item));
  const entries = main.map(({ entry }) => entry);
  return {
    facts,
    entries,
    main,
    agents,
    abandoned,
    calls,
    compactions,
    problems,
  };
}

/** The messages that lead to the newest one, and the results of their calls, which stand beside each other. */
function currentBranch(items: readonly EntryItem[]): (item: EntryItem) => boolean {
  const byNode = new Map(items.map((item) => [item.node, item]));
  const nodes = new Set<string>();
  let next = items.at(-1);
  while (next !== undefined && !nodes.has(next.node)) {
    nodes.add(next.node);
    next = next.parent === undefined ? undefined : byNode.get(next.parent);
  }
  return ({ node, parent, entry }) =>
    nodes.has(node) || (entry.type === "observation" && parent !== undefined && nodes.has(parent));
}
