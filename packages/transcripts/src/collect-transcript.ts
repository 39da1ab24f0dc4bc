import type { HistoryEntry } from "@agent-history/core";

import { grouped } from "./internal/grouped.ts";
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
  /** The final branch of the main history, without rewound branches and subagents. */
  readonly entries: readonly HistoryEntry[];
  /** The items of `entries`. */
  readonly main: readonly EntryItem[];
  /** The histories of subagents that are logged in this transcript. */
  readonly agents: ReadonlyMap<string, readonly EntryItem[]>;
  /** Entries that were rewound, or came before the history was cleared. */
  readonly abandoned: readonly EntryItem[];
  readonly calls: readonly ModelCall[];
  /** The calls whose answers are in `main`. */
  readonly mainCalls: readonly ModelCall[];
  readonly compactions: readonly CompactionItem[];
  readonly problems: readonly ProblemItem[];
}

/**
 * Collects the items of a transcript. Linear; keeps all entries in memory.
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
  const all = [...items];
  const entryItems = ofKind(all, "entry");
  const isOwn = ({ agentId }: Pick<EntryItem, "agentId">): boolean => agentId === undefined;
  const own = entryItems.filter(isOwn);
  const isMain = currentBranch(own);
  const main = own.filter(isMain);
  const calls = ofKind(all, "call").map(({ call }) => call);
  const mainCalls: ModelCall[] = [];
  let answer: EntryItem | undefined;
  for (const item of all.toReversed()) {
    if (item.kind === "entry") answer = item;
    // The answer of a call in an abandoned branch is in that branch.
    const isCall = item.kind === "call" && isOwn(item.call);
    if (isCall && (answer === undefined || isMain(answer))) mainCalls.push(item.call);
  }
  return {
    facts: factsOf(all),
    entries: main.map(({ entry }) => entry),
    main,
    agents: grouped(
      entryItems.filter((item) => !isOwn(item)),
      ({ agentId = "" }) => agentId,
    ),
    abandoned: own.filter((item) => !isMain(item)),
    calls,
    mainCalls: mainCalls.toReversed(),
    compactions: ofKind(all, "compaction"),
    problems: ofKind(all, "problem"),
  };
}

/** Returns the facts of a session; later items override earlier ones. */
export function factsOf(items: readonly TranscriptItem[]): SessionFacts {
  const facts: SessionFacts = {};
  for (const item of ofKind(items, "session")) Object.assign(facts, item.facts);
  return facts;
}

/** Returns the items of one kind. */
export function ofKind<Kind extends TranscriptItem["kind"]>(
  items: readonly TranscriptItem[],
  kind: Kind,
): readonly Extract<TranscriptItem, { readonly kind: Kind }>[] {
  return items.filter(
    (item): item is Extract<TranscriptItem, { readonly kind: Kind }> => item.kind === kind,
  );
}

/** Returns a test for the messages that lead to the newest one, and the results of their calls, which are siblings. */
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
