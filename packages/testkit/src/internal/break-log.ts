import type {
  GlobalObservationEntry,
  HistoryEntry,
  ObservationEntry,
  Source,
} from "@agent-history/core";

import type { Breakage } from "../breakage.ts";
import { newId } from "./break-exchange.ts";
import type { SoundExchange } from "./sound-exchanges.ts";

/** A log that was broken, and whose entries that touched. */
export interface BrokenLog {
  readonly entries: readonly HistoryEntry[];
  readonly touched: readonly (string | undefined)[];
}

/** What a breakage may choose from, and how it chooses. */
export interface BreakableLog {
  readonly entries: readonly HistoryEntry[];
  /** The exchanges of agents that no breakage has touched. */
  readonly exchanges: readonly SoundExchange[];
  /** The entries of such agents, by index. */
  readonly indexes: readonly number[];
  readonly choice: number;
  readonly otherChoice: number;
}

/** Breaks a log; `undefined` where it has nothing that can break this way. */
export type LogBreaker = (log: BreakableLog) => BrokenLog | undefined;

/** The breakages that are not of one exchange. */
export const logBreakers: Readonly<Partial<Record<Breakage, LogBreaker>>> = {
  "orphan-result": ({ entries, choice, otherChoice }) => {
    const writer = entries[otherChoice % Math.max(1, entries.length)]?.agent;
    const orphan: ObservationEntry = {
      id: newId(entries),
      createdAtMs: 0,
      ...(writer === undefined ? {} : { agent: writer }),
      type: "observation",
      callId: "call of nobody",
      toolName: "search",
      outcome: "success",
      content: "lost and found",
    };
    return { entries: entries.toSpliced(choice % (entries.length + 1), 0, orphan), touched: [] };
  },

  "doubled-entry": ({ entries, indexes, choice, otherChoice }) => {
    const entry = entries[indexes[choice % indexes.length] ?? -1];
    if (entry === undefined) return undefined;
    const doubled = entries.toSpliced(otherChoice % (entries.length + 1), 0, entry);
    return { entries: doubled, touched: [entry.agent?.id] };
  },

  "doubled-id": ({ entries, indexes, choice, otherChoice }) => {
    const index = indexes[choice % indexes.length] ?? -1;
    const others = indexes.filter((other) => other !== index);
    const entry = entries[index];
    const other = entries[others[otherChoice % others.length] ?? -1];
    if (entry === undefined || other === undefined) return undefined;
    return {
      entries: entries.with(index, { ...entry, id: other.id }),
      touched: [entry.agent?.id, other.agent?.id],
    };
  },

  "doubled-number": ({ entries, indexes, choice, otherChoice }) => {
    const bearers = indexes.filter((index) => sourcesAt(entries, index) !== undefined);
    const given = bearers.filter((index) => sourcesAt(entries, index)?.length !== 0);
    const from = given[choice % given.length];
    const to = bearers[otherChoice % bearers.length];
    if (from === undefined || to === undefined) return undefined;
    const source = sourcesAt(entries, from)?.[0];
    const bearer = entries[to];
    if (source === undefined || !bearsSources(bearer)) return undefined;
    const usurper: Source = { ...source, id: `not ${source.id}`, text: "Something else." };
    const sources = [...(bearer.sources ?? []), usurper];
    return {
      entries: entries.with(to, { ...bearer, sources }),
      touched: [bearer.agent?.id, entries[from]?.agent?.id],
    };
  },

  "mixed-agents": ({ entries, exchanges, choice }) => {
    const named = exchanges.filter(({ agentId }) => agentId !== undefined);
    const pairs = named.flatMap((first) =>
      named
        .filter(
          ({ agentId, action }) => agentId !== first.agentId && action.index > first.action.index,
        )
        .map((second) => ({ first, second })),
    );
    const pair = pairs[choice % pairs.length];
    if (pair === undefined) return undefined;
    const { first, second } = pair;
    const nameless = new Set(indexesOf(first).concat(indexesOf(second)));
    const stripped = entries.map((entry, index) =>
      nameless.has(index) ? withoutAgent(entry) : entry,
    );
    const moved = stripped.slice(second.action.index, second.action.index + 1);
    return {
      entries: stripped
        .toSpliced(second.action.index, 1)
        .toSpliced(first.action.index + 1, 0, ...moved),
      touched: [first.agentId, second.agentId, undefined],
    };
  },
};

function indexesOf({ action, results }: SoundExchange): readonly number[] {
  return [action.index, ...results.map(({ index }) => index)];
}

function sourcesAt(entries: readonly HistoryEntry[], index: number): readonly Source[] | undefined {
  const entry = entries[index];
  return bearsSources(entry) ? (entry.sources ?? []) : undefined;
}

function bearsSources(
  entry: HistoryEntry | undefined,
): entry is ObservationEntry | GlobalObservationEntry {
  return entry?.type === "observation" || entry?.type === "global_observation";
}

function withoutAgent(entry: HistoryEntry): HistoryEntry {
  if (entry.type === "action") {
    const { agent: _, ...nameless } = entry;
    return nameless;
  }
  if (entry.type !== "observation") return entry;
  const { agent: _, actionId: __, ...nameless } = entry;
  return nameless;
}
