import type { HistoryQuery } from "@agent-history/core";

/** What the fixture of version 1 shows, whatever the version that reads it. */
export const FIXTURE_THREADS: readonly {
  readonly threadId: string;
  readonly query: HistoryQuery;
  readonly originals: boolean;
  readonly shown: readonly string[];
}[] = [
  {
    threadId: "t",
    query: { clauses: [{}] },
    originals: true,
    shown: ["a", "b", "k", "call", "result", "c", "__proto__", "\uD83D"],
  },
  {
    threadId: "t",
    query: { clauses: [{}], view: "conversation" },
    originals: false,
    shown: ["z", "k", "call", "result", "c", "__proto__", "\uD83D"],
  },
  {
    threadId: "t/fork",
    query: { clauses: [{}], view: "conversation" },
    originals: false,
    shown: ["z", "k", "call", "result", "own"],
  },
];
