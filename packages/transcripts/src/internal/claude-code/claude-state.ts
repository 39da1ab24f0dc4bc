import { fromAnthropicMessages } from "@agent-history/anthropic";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { countedIds, textOf } from "@agent-history/format-kit";

import type { ModelCall } from "../../model-call.ts";
import type { SessionFacts, TranscriptItem } from "../../transcript-item.ts";
import type { TranscriptReaderOptions } from "../../transcript-reader.ts";
import { entryWriter } from "../entry-writer.ts";
import type { EntryOrigin, EntryWriter } from "../entry-writer.ts";
import { sessionTree } from "../session-tree.ts";
import type { SessionTree } from "../session-tree.ts";

/** A message, and what its entries carry beside it. */
export interface ClaudeMessage {
  readonly message: JsonObject;
  readonly atMs: number;
  readonly turnId: string | undefined;
  readonly origin: EntryOrigin;
}

/** An answer whose lines are being read, and the results that came between them. */
export interface OpenAnswer extends Omit<ClaudeMessage, "message"> {
  readonly messageId: string;
  readonly blocks: JsonValue[];
  readonly results: ClaudeMessage[];
  /** The call that gave the answer, with the usage of the newest line. */
  call: ModelCall | undefined;
}

/** What a reader remembers from line to line. Maps are by the subagent; `""` is the main history. */
export interface ClaudeState {
  readonly withEntries: boolean;
  readonly tree: SessionTree;
  readonly writer: EntryWriter;
  readonly open: Map<string, OpenAnswer>;
  readonly calls: Set<string>;
  /** When the newest message to the model was logged. */
  readonly askedAtMs: Map<string, number>;
  facts: SessionFacts;
  turns: number;
  /** The first message that the coming summary leaves as it is. */
  keptFrom: string | undefined;
}

export function claudeState({ entries = true }: TranscriptReaderOptions): ClaudeState {
  return {
    withEntries: entries,
    tree: sessionTree(),
    writer: entryWriter(),
    open: new Map(),
    calls: new Set(),
    askedAtMs: new Map(),
    facts: {},
    turns: 0,
    keptFrom: undefined,
  };
}

/** The turn that a line of the main history is in; a subagent has none of its own. */
export function turnOf({ turns }: ClaudeState, agentId: string | undefined): string | undefined {
  return agentId === undefined && turns > 0 ? `turn-${turns}` : undefined;
}

export function writeMessage(
  { withEntries, writer }: ClaudeState,
  { message: { role, content }, atMs, turnId, origin }: ClaudeMessage,
): readonly TranscriptItem[] {
  if (!withEntries) return [];
  const message = { role: textOf(role) ?? "", ...(content !== undefined && { content }) };
  const entries = fromAnthropicMessages([message], {
    newId: countedIds(origin.node),
    now: () => atMs,
    ...(turnId !== undefined && { turnId }),
    ...(origin.agentId !== undefined && { agent: { id: origin.agentId, role: "worker" } }),
  });
  return writer.write(entries, origin);
}
