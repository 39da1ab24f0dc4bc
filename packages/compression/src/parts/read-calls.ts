import type { HistoryEntry, ToolCall } from "@agent-history/core";

import { textOf } from "../internal/text-of-entry.ts";

/** A call with what it asked for and what came of it. */
export interface ReadCall {
  readonly name: string;
  /** The arguments as they stand there. */
  readonly text: string;
  /** Parsed, where they are JSON of a moderate size. */
  readonly args: unknown;
  /** Absent where no result is among the entries. */
  readonly outcome?: "success" | "error" | "denied" | "cancelled";
  readonly result: string;
  /** Positions of the action and of the result. */
  readonly index: number;
  readonly resultIndex?: number;
}

const LONGEST_ARGUMENTS = 200_000;

/** Reads all calls in their order; a result belongs to the last call before it that carries its id. Linear. */
export function readCalls(entries: readonly HistoryEntry[]): readonly ReadCall[] {
  const calls: ReadCall[] = [];
  const open = new Map<string, number>();
  for (const [entryIndex, entry] of entries.entries()) {
    if (entry.type === "action") {
      for (const call of entry.toolCalls) {
        open.set(call.id, calls.length);
        calls.push(readCall(call, entryIndex));
      }
    } else if (entry.type === "observation") {
      const index = open.get(entry.callId);
      const call = index === undefined ? undefined : calls[index];
      if (index === undefined || call === undefined) continue;
      open.delete(entry.callId);
      const result = textOf(entry.content);
      calls[index] = { ...call, outcome: entry.outcome, result, resultIndex: entryIndex };
    }
  }
  return calls;
}

function readCall({ name, arguments: text }: ToolCall, index: number): ReadCall {
  return { name, text, args: parsed(text), result: "", index };
}

function parsed(text: string): unknown {
  if (text.length > LONGEST_ARGUMENTS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
