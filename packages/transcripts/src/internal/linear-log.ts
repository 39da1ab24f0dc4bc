import type { HistoryEntry } from "@agent-history/core";

import type { EntryItem, TranscriptItem, TurnItem } from "../transcript-item.ts";
import { entryWriter } from "./entry-writer.ts";
import type { EntryOrigin, SummaryText } from "./entry-writer.ts";
import { requestTitle } from "./is-request-text.ts";

/** Where a message stands, besides its line. */
export type OriginExtras = Pick<EntryItem, "agentId" | "cwd" | "isMeta">;

/** The name of a tool that a log does not name; a result takes that of its call. */
export const UNKNOWN_TOOL = "unknown";

/** Writes the messages of a log without branches, each behind the one before, and numbers its turns. */
export interface LinearLog {
  /** Whether entries are asked for at all. */
  readonly isWritten: boolean;
  /** Begins a turn. */
  readonly turn: (line: number, atMs: number, text: string) => TurnItem;
  /** The turn that is being read; missing before the first. */
  readonly turnId: () => string | undefined;
  /** Gives a message the place behind the last that was written. Its node is its line. */
  readonly locate: (line: number, beside?: OriginExtras) => EntryOrigin;
  readonly write: (
    entries: readonly HistoryEntry[],
    origin: EntryOrigin,
  ) => readonly TranscriptItem[];
  readonly summarize: (text: SummaryText, origin: EntryOrigin) => readonly TranscriptItem[];
}

/** @param isWritten - Whether entries are asked for at all. */
export function linearLog(isWritten: boolean): LinearLog {
  const writer = entryWriter();
  const last = new Map<string | undefined, string>();
  let [turns, line, ofLine] = [0, 0, 0];
  return {
    isWritten,
    turn: (number, atMs, text) => {
      turns += 1;
      return { kind: "turn", line: number, turnId: `turn-${turns}`, atMs, ...requestTitle(text) };
    },
    turnId: () => (turns === 0 ? undefined : `turn-${turns}`),
    locate: (number, beside = {}) => {
      // A line may hold several messages.
      ofLine = number === line ? ofLine + 1 : 0;
      line = number;
      const node = ofLine === 0 ? `line-${number}` : `line-${number}.${ofLine}`;
      const parent = last.get(beside.agentId);
      return { ...beside, line: number, node, ...(parent !== undefined && { parent }) };
    },
    write: (entries, origin) => {
      if (!isWritten || entries.length === 0) return [];
      last.set(origin.agentId, origin.node);
      return writer.write(entries, origin);
    },
    summarize: (text, origin) => {
      const written = isWritten ? writer.summarize(text, origin) : undefined;
      if (written === undefined) return [];
      last.set(origin.agentId, origin.node);
      return [written];
    },
  };
}
