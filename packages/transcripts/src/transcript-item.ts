import type { HistoryEntry } from "@agent-history/core";

import type { CallUsage, ModelCall } from "./model-call.ts";

/** One item of a transcript. Readers return items in the order of the transcript. */
export type TranscriptItem =
  | SessionItem
  | TurnItem
  | EntryItem
  | CallItem
  | UsageItem
  | CompactionItem
  | ProblemItem;

/** Facts about the whole session. Later items override fields of earlier ones. */
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

/** The beginning of a user request. Text that a tool writes as the user does not begin a turn. */
export interface TurnItem {
  readonly kind: "turn";
  readonly line: number;
  readonly turnId: string;
  readonly atMs?: number | undefined;
  /** The beginning of the request, on one line; missing if it has no text. */
  readonly title?: string | undefined;
}

/** A message, an action with tool calls, or a result. */
export interface EntryItem {
  readonly kind: "entry";
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly entry: HistoryEntry;
  /** The key of its message in the session's tree. */
  readonly node: string;
  /** The key of the message that it answers; missing at a root. */
  readonly parent?: string | undefined;
  /** The subagent whose history contains it. */
  readonly agentId?: string | undefined;
  /** The working folder when it was written. */
  readonly cwd?: string | undefined;
  /** Written by the tool as the user: instructions, reminders, output of the tool's own commands. */
  readonly isMeta?: boolean | undefined;
}

/** A model call. Each is reported once, before the entries of its answer. */
export interface CallItem {
  readonly kind: "call";
  readonly call: ModelCall;
}

/** Usage that a log reports per model, not per call: the part that no call accounts for. */
export interface UsageItem {
  readonly kind: "usage";
  readonly model: string;
  readonly usage: CallUsage;
}

/** A compaction: a summary replaced the history, or old tool results were cleared. */
export interface CompactionItem {
  readonly kind: "compaction";
  readonly line: number;
  readonly how: "summary" | "clearing";
  readonly atMs?: number | undefined;
  /** The trigger as the tool names it, e.g. `auto` or `manual`. */
  readonly trigger?: string | undefined;
  /** Tokens before the compaction, as the tool counted them. */
  readonly preTokens?: number | undefined;
  /** The provider encrypts the summary; the log contains only what was kept beside it. */
  readonly isEncrypted?: boolean | undefined;
  /** The calls whose results were cleared. */
  readonly callIds?: readonly string[] | undefined;
  /** The subagent whose history was compacted. */
  readonly agentId?: string | undefined;
}

/** A line with a fault. */
export interface ProblemItem {
  readonly kind: "problem";
  readonly line: number;
  /** `damaged`: skipped. `joined`: several JSON values on one line, all of them read. `repeated`: read before, skipped. */
  readonly problem: "damaged" | "joined" | "repeated";
}

/** Reads a transcript line by line. It keeps one message at a time, and the ids of the others, in memory. */
export interface TranscriptReader {
  /** Reads the next line (without line break) and returns the items that it completes. */
  readonly read: (line: string) => readonly TranscriptItem[];
  /** Returns the remaining items after the last line. */
  readonly end: () => readonly TranscriptItem[];
}

export interface TranscriptReaderOptions {
  /** Whether to build entries. Without them, reading calls, turns and compactions is several times as fast. Default `true`. */
  readonly entries?: boolean | undefined;
}
