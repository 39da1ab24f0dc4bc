import type { HistoryEntry } from "@agent-history/core";

import type { CallUsage, ModelCall } from "./model-call.ts";

/** What a transcript says, in the order in which it says it. */
export type TranscriptItem =
  | SessionItem
  | TurnItem
  | EntryItem
  | CallItem
  | UsageItem
  | CompactionItem
  | ProblemItem;

/** Facts about the whole session. A later item overrides a field of an earlier one. */
export interface SessionItem {
  readonly kind: "session";
  readonly facts: SessionFacts;
}

export interface SessionFacts {
  readonly sessionId?: string | undefined;
  /** The working folder. */
  readonly cwd?: string | undefined;
  readonly title?: string | undefined;
}

/** A request of a user begins. What a tool writes in a user's name begins none. */
export interface TurnItem {
  readonly kind: "turn";
  readonly line: number;
  readonly turnId: string;
  readonly atMs?: number | undefined;
  /** The beginning of the request, on one line; missing where it has no text. */
  readonly title?: string | undefined;
}

/** A message, a call of tools or a result. */
export interface EntryItem {
  readonly kind: "entry";
  /** The line that it began on, from 1. */
  readonly line: number;
  readonly entry: HistoryEntry;
  /** The index of its message in the session's tree. */
  readonly node: string;
  /** The index of the message that it answers; missing at a root. */
  readonly parent?: string | undefined;
  /** The subagent whose history it is in. */
  readonly agentId?: string | undefined;
  /** The working folder when it was written. */
  readonly cwd?: string | undefined;
  /** Written by the tool in the user's name: instructions, reminders, output of the tool's own commands. */
  readonly isMeta?: boolean | undefined;
}

/** A model call, once. It precedes the entries of its answer. */
export interface CallItem {
  readonly kind: "call";
  readonly call: ModelCall;
}

/** Usage that a log reports for a model and not by call: what its calls do not account for. */
export interface UsageItem {
  readonly kind: "usage";
  readonly model: string;
  readonly usage: CallUsage;
}

/** The history was shortened: replaced by a summary, or old tool results cleared. */
export interface CompactionItem {
  readonly kind: "compaction";
  readonly line: number;
  readonly how: "summary" | "clearing";
  readonly atMs?: number | undefined;
  /** As the tool names it, `auto` or `manual`. */
  readonly trigger?: string | undefined;
  /** The tokens before, as the tool counted them. */
  readonly preTokens?: number | undefined;
  /** The provider keeps the summary to itself; the log holds only what was kept beside it. */
  readonly isEncrypted?: boolean | undefined;
  /** The calls whose results were cleared. */
  readonly callIds?: readonly string[] | undefined;
  /** The subagent whose history was shortened. */
  readonly agentId?: string | undefined;
}

/** A line that could not be read as it should. */
export interface ProblemItem {
  readonly kind: "problem";
  readonly line: number;
  /** `damaged`: skipped. `joined`: several JSON values on one line, all of them read. `repeated`: read before, skipped. */
  readonly problem: "damaged" | "joined" | "repeated";
}

/** Reads a transcript line by line. It holds one message at a time, and the ids of the others. */
export interface TranscriptReader {
  /** Reads the next line, without its line break, and returns what became complete by it. */
  readonly read: (line: string) => readonly TranscriptItem[];
  /** Returns what is left when no line follows. */
  readonly end: () => readonly TranscriptItem[];
}

export interface TranscriptReaderOptions {
  /** Whether to build entries; calls, turns and compactions alone are several times as fast. Default `true`. */
  readonly entries?: boolean | undefined;
}
