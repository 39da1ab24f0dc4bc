import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

/** A long history that records which entries are read, and a counter that records how many it counts. */
export interface WatchedHistory {
  readonly entries: HistoryEntry[];
  readonly counter: TokenCounter;
  /** Adds a turn: question (unless the turn continues), call, result (unless it was lost) and answer, ten tokens each. */
  readonly addTurn: (options?: { readonly isLost?: boolean; readonly goesOn?: boolean }) => void;
  /** Returns how many entries were read and counted since the previous call. */
  readonly takeWork: () => { readonly looked: number; readonly counted: number };
}

/** Creates a valid history of `turns` turns with ten tokens per entry. */
export function watchedHistory(turns: number): WatchedHistory {
  const entries: HistoryEntry[] = [];
  const looked = new Set<HistoryEntry>();
  let counted = 0;
  let turn = 0;
  const add = (entry: HistoryEntry): void => {
    const { id } = entry;
    const get = (): string => {
      looked.add(entry);
      return id;
    };
    entries.push(Object.defineProperty(entry, "id", { get, enumerable: true }));
  };
  const addTurn = ({ isLost = false, goesOn = false } = {}): void => {
    turn += 1;
    const call = { id: "call", name: "search", arguments: "{}" };
    if (!goesOn) add(userMessage({ id: `u${turn}`, content: "q" }));
    add(action({ id: `x${turn}`, toolCalls: [call] }));
    const fields = { callId: "call", toolName: "search", outcome: "success" } as const;
    if (!isLost) add(observation({ id: `o${turn}`, ...fields, content: "r" }));
    add(assistantMessage({ id: `a${turn}`, content: "a" }));
  };
  add(systemMessage({ id: "s", content: "s" }));
  for (let nth = 0; nth < turns; nth++) addTurn();
  return {
    entries,
    addTurn,
    counter: {
      id: "ten",
      countText: () => 10,
      countEntry: () => {
        counted += 1;
        return 10;
      },
      countRequest: () => 0,
    },
    takeWork: () => {
      const work = { looked: looked.size, counted };
      looked.clear();
      counted = 0;
      return work;
    },
  };
}
