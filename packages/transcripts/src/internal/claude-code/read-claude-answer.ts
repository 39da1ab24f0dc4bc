import { isJsonObject, textOf } from "@agent-history/format-kit";

import type { ModelCall } from "../../model-call.ts";
import type { TranscriptItem } from "../../transcript-item.ts";
import { claudeUsage, providerReason } from "../claude-usage.ts";
import { timeOf } from "../time-of.ts";
import { agentOf, blocksOf, parentOf, originOf } from "./claude-line.ts";
import type { ClaudeMessageLine } from "./claude-line.ts";
import { turnOf, writeMessage } from "./claude-state.ts";
import type { ClaudeState } from "./claude-state.ts";

/** Reads a line of an answer: a block of the one that is open, or the first of the next. */
export function readClaudeAnswer(
  state: ClaudeState,
  from: ClaudeMessageLine,
): readonly TranscriptItem[] {
  const { line, message, id } = from;
  const agentId = agentOf(line);
  const open = state.open.get(agentId ?? "");
  const messageId = textOf(message["id"]) ?? id;
  const blocks = blocksOf(message["content"]);
  if (open?.messageId === messageId) {
    state.tree.add(id, open.origin.node);
    for (const block of blocks) open.blocks.push(block);
    open.call = callOf(state, from, open.call);
    return [];
  }
  const closed = closeClaudeAnswer(state, agentId);
  const parent = state.tree.nodeOf(parentOf(line), agentId);
  state.tree.begin(id, agentId);
  state.open.set(agentId ?? "", {
    messageId,
    origin: originOf(from, { node: id, parent }),
    atMs: timeOf(line["timestamp"]) ?? 0,
    turnId: turnOf(state, agentId),
    blocks: [...blocks],
    results: [],
    call: callOf(state, from),
  });
  return closed;
}

/** Writes the call and the answer whose last line has been read, and its results. */
export function closeClaudeAnswer(
  state: ClaudeState,
  agentId: string | undefined,
): readonly TranscriptItem[] {
  const open = state.open.get(agentId ?? "");
  if (open === undefined) return [];
  state.open.delete(agentId ?? "");
  const { blocks, results, call, ...stamp } = open;
  const answer = { ...stamp, message: { role: "assistant", content: blocks } };
  const isNew = call !== undefined && !state.calls.has(call.id);
  if (isNew) state.calls.add(call.id);
  return [
    ...(isNew ? [{ kind: "call", call } as const] : []),
    ...[answer, ...results].flatMap((message) => writeMessage(state, message)),
  ];
}

/**
 * Reads the call of a line. Each line of an answer repeats its usage; the last one is final, since output tokens are still counted while the answer is
 * written. A model called `<synthetic>` is Claude Code itself.
 */
function callOf(
  state: ClaudeState,
  { line, number, message, id }: ClaudeMessageLine,
  before?: ModelCall,
): ModelCall | undefined {
  const { usage, model } = message;
  if (!isJsonObject(usage) || model === "<synthetic>") return before;
  const reason = providerReason(message);
  const known = {
    usage: claudeUsage(usage),
    ...(reason !== undefined && { providerReason: reason }),
  };
  if (before !== undefined) return { ...before, ...known };
  const agentId = agentOf(line);
  const askedAtMs = state.askedAtMs.get(agentId ?? "");
  const answeredAtMs = timeOf(line["timestamp"]);
  return {
    id: `${textOf(message["id"]) ?? id}:${textOf(line["requestId"]) ?? ""}`,
    line: number,
    model: textOf(model) ?? "unknown",
    ...(askedAtMs !== undefined && { askedAtMs }),
    ...(answeredAtMs !== undefined && { answeredAtMs }),
    ...(agentId !== undefined && { agentId }),
    ...known,
  };
}
