import { messageRole } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { escapeData } from "./escape-data.ts";
import { textOfEntry } from "./text-of-entry.ts";

/** One entry as the summarizer reads it. */
export interface DataLine {
  readonly n: number;
  readonly from: string;
  readonly text: string;
}

/** Returns each entry that says something a line, numbered from 1. */
export function linesOf(entries: readonly HistoryEntry[]): readonly DataLine[] {
  return entries.flatMap((entry, index) => {
    const text = textOfEntry(entry);
    return text === "" ? [] : [{ n: index + 1, from: speakerOf(entry), text }];
  });
}

/** Writes a line as data. */
export function renderLine(line: DataLine): string {
  return escapeData(line);
}

function speakerOf(entry: HistoryEntry): string {
  const who = entry.agent === undefined ? "" : ` ${entry.agent.id}`;
  switch (entry.type) {
    case "observation":
      return `tool ${entry.toolName} (${entry.outcome})`;
    case "user_message":
    case "assistant_message":
      return messageRole(entry);
    case "action":
      return `assistant${who}`;
    default:
      return `${entry.type}${who}`;
  }
}
