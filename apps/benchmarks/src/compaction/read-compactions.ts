import { repairHistory, summary, userMessage } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";
import { collectTranscript } from "@agent-history/transcripts";
import type { EntryItem, TranscriptItem } from "@agent-history/transcripts";

/** A compaction of a recorded session, and what came before and after it. */
export interface RecordedCompaction {
  /** The main line since the compaction before, without rewound branches. */
  readonly past: readonly EntryItem[];
  /** The main line since the beginning. */
  readonly whole: readonly EntryItem[];
  /** What was done until the next compaction. */
  readonly after: readonly EntryItem[];
  /** The agent's own summary. */
  readonly summary: string;
}

/** Finds the compactions in the items of a session after which work went on. */
export function readCompactions(items: readonly TranscriptItem[]): readonly RecordedCompaction[] {
  const indexes = items.flatMap((item, index) =>
    item.kind === "entry" && isSummary(item) && item.agentId === undefined ? [index] : [],
  );
  return indexes.flatMap((entryIndex, index): readonly RecordedCompaction[] => {
    const own = items[entryIndex];
    const after = items.slice(entryIndex + 1, indexes[index + 1]).filter(isMain);
    if (own?.kind !== "entry" || !after.some(({ entry }) => entry.type === "action")) return [];
    const whole = collectTranscript(items.slice(0, entryIndex)).main;
    const past = whole.slice(Math.max(0, whole.findLastIndex(isSummary)));
    return [{ past, whole, after, summary: textOf(own.entry) }];
  });
}

function isSummary({ entry }: EntryItem): boolean {
  return entry.type === "summary";
}

function isMain(item: TranscriptItem): item is EntryItem {
  return item.kind === "entry" && item.agentId === undefined;
}

function textOf(entry: HistoryEntry): string {
  return entry.type === "summary" && typeof entry.content === "string" ? entry.content : "";
}

/** The entries of a main line. What was thought is left out. */
export function entriesOf(items: readonly EntryItem[]): readonly HistoryEntry[] {
  const entries = items.flatMap(({ entry }): readonly HistoryEntry[] => {
    if (entry.type === "opaque") return [];
    if (entry.type !== "summary") return [withoutThinking(entry)];
    // An earlier summary is covered and extended where it stands for entries of the view.
    const old = userMessage({ content: "(before the first boundary)" });
    const covers = [{ from: old.id, to: old.id }];
    const { content } = entry;
    return [old, summary({ content, strategy: "recorded", trust: "user", view: "thread", covers })];
  });
  return repairHistory(entries).entries;
}

function withoutThinking(entry: HistoryEntry): HistoryEntry {
  if (!("content" in entry) || typeof entry.content !== "object") return entry;
  const content: Content = entry.content.filter(({ type }) => type !== "reasoning");
  return { ...entry, content };
}
