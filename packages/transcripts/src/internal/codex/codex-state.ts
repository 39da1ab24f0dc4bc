import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { countedIds } from "@agent-history/format-kit";
import { fromResponseItems } from "@agent-history/openai";

import type { SessionFacts, TranscriptItem } from "../../transcript-item.ts";
import type { TranscriptReaderOptions } from "../../transcript-reader.ts";
import { entryWriter } from "../entry-writer.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";

/** A line of a rollout, without its envelope. */
export interface CodexLine {
  readonly payload: JsonObject;
  readonly number: number;
  readonly atMs: number;
}

/** Items of one answer, or one other item, and what their entries carry beside them. */
export interface CodexMessage {
  readonly items: JsonObject[];
  readonly atMs: number;
  readonly turnId: string | undefined;
  readonly origin: EntryOrigin;
}

/** An answer that is being read, and what came before its usage. */
export interface OpenAnswer extends CodexMessage {
  readonly results: CodexMessage[];
  readonly askedAtMs: number;
  isCounted: boolean;
}

/** What a reader remembers from line to line. */
export interface CodexState {
  readonly withEntries: boolean;
  readonly writer: EntryWriter;
  open: OpenAnswer | undefined;
  facts: SessionFacts;
  cwd: string | undefined;
  model: string;
  turns: number;
  calls: number;
  /** The sum that the newest count of tokens gave. */
  total: string | undefined;
  askedAtMs: number;
  /** The newest message. */
  node: string | undefined;
}

export function codexState({ entries = true }: TranscriptReaderOptions): CodexState {
  return {
    withEntries: entries,
    writer: entryWriter(),
    open: undefined,
    facts: {},
    cwd: undefined,
    model: "unknown",
    turns: 0,
    calls: 0,
    total: undefined,
    askedAtMs: 0,
    node: undefined,
  };
}

/** Gives the next message its place: a rollout is no tree, each message follows the one before. */
export function nextOrigin(state: CodexState, line: number, isMeta = false): EntryOrigin {
  const { cwd, node: parent } = state;
  state.node = `line-${line}`;
  return {
    line,
    node: state.node,
    ...(parent !== undefined && { parent }),
    ...(cwd !== undefined && { cwd }),
    ...(isMeta && { isMeta }),
  };
}

export function codexTurn({ turns }: CodexState): string | undefined {
  return turns > 0 ? `turn-${turns}` : undefined;
}

export function writeItems(
  { withEntries, writer }: CodexState,
  { items, atMs, turnId, origin }: CodexMessage,
): readonly TranscriptItem[] {
  if (!withEntries) return [];
  const entries = fromResponseItems(items, {
    newId: countedIds(origin.node),
    now: () => atMs,
    ...(turnId !== undefined && { turnId }),
  });
  return writer.write(entries.map(withOutcome), origin);
}

const FAILED = /^(?:Process exited with|Exit) code:? (?!0\b)\d/m;

/** Codex logs the exit code of a command at the head of its output. */
function withOutcome(entry: HistoryEntry): HistoryEntry {
  if (entry.type !== "observation" || typeof entry.content !== "string") return entry;
  return FAILED.test(entry.content.slice(0, 300)) ? { ...entry, outcome: "error" } : entry;
}
