import { summary } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { EntryItem } from "../transcript-item.ts";

/** Where entries stand in a transcript. */
export type EntryOrigin = Omit<EntryItem, "kind" | "entry">;

/** Turns the entries of messages that were read one by one into items of one history. */
export interface EntryWriter {
  readonly write: (entries: readonly HistoryEntry[], origin: EntryOrigin) => readonly EntryItem[];
  /** Writes a summary of everything since the summary before, but for the messages from a node on. */
  readonly summarize: (text: SummaryText, origin: EntryOrigin) => EntryItem | undefined;
}

/** The text of a summary, and what it leaves out. */
export interface SummaryText {
  readonly content: string;
  readonly atMs: number;
  /** The first node that the tool kept beside the summary. */
  readonly keptFrom?: string;
}

interface Written {
  readonly id: string;
  readonly node: string;
}

export function entryWriter(): EntryWriter {
  const names = new Map<string, string>();
  /** What the next summary covers, by the agent whose history it is; `""` is the main one. */
  const since = new Map<string, Written[]>();
  const note = (item: EntryItem): EntryItem => {
    const written = since.get(item.agentId ?? "") ?? [];
    written.push({ id: item.entry.id, node: item.node });
    since.set(item.agentId ?? "", written);
    return item;
  };
  return {
    write: (entries, origin) =>
      entries.map((entry) => note({ kind: "entry", entry: withToolName(entry, names), ...origin })),
    summarize: ({ content, atMs, keptFrom }, origin) => {
      const written = since.get(origin.agentId ?? "") ?? [];
      const kept = keptFrom === undefined ? -1 : written.findIndex(({ node }) => node === keptFrom);
      const covered = kept < 0 ? written : written.slice(0, kept);
      const [first, last] = [covered[0], covered.at(-1)];
      if (first === undefined || last === undefined) return undefined;
      since.set(origin.agentId ?? "", kept < 0 ? [] : written.slice(kept));
      const covers = [{ from: first.id, to: last.id }];
      const fields = {
        content,
        strategy: "recorded",
        trust: "user",
        view: "thread",
        covers,
      } as const;
      const entry = summary({ ...fields, id: origin.node, createdAtMs: atMs });
      const item: EntryItem = { kind: "entry", entry, ...origin };
      since.get(origin.agentId ?? "")?.unshift({ id: entry.id, node: origin.node });
      return item;
    },
  };
}

/** A result that is read without its call does not say which tool gave it. */
function withToolName(entry: HistoryEntry, names: Map<string, string>): HistoryEntry {
  if (entry.type === "action") for (const { id, name } of entry.toolCalls) names.set(id, name);
  const name = entry.type === "observation" ? names.get(entry.callId) : undefined;
  return entry.type === "observation" && name !== undefined ? { ...entry, toolName: name } : entry;
}
