import { isJsonObject, textOf } from "@agent-history/format-kit";

import type { CallItem, TranscriptItem } from "../../transcript-item.ts";
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
    return readCall(state, from);
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
  });
  return [...closed, ...readCall(state, from)];
}

/** Writes an answer whose last line has been read, and its results. */
export function closeClaudeAnswer(
  state: ClaudeState,
  agentId: string | undefined,
): readonly TranscriptItem[] {
  const open = state.open.get(agentId ?? "");
  if (open === undefined) return [];
  state.open.delete(agentId ?? "");
  const { blocks, results, ...stamp } = open;
  const answer = { ...stamp, message: { role: "assistant", content: blocks } };
  return [answer, ...results].flatMap((message) => writeMessage(state, message));
}

/** Each line of a message repeats its usage: it counts once. A model called `<synthetic>` is Claude Code itself. */
function readCall(
  state: ClaudeState,
  { line, number, message, id }: ClaudeMessageLine,
): readonly CallItem[] {
  const { usage, model } = message;
  if (!isJsonObject(usage) || model === "<synthetic>") return [];
  const call = `${textOf(message["id"]) ?? id}:${textOf(line["requestId"]) ?? ""}`;
  if (state.calls.has(call)) return [];
  state.calls.add(call);
  const agentId = agentOf(line);
  const askedAtMs = state.askedAtMs.get(agentId ?? "");
  const answeredAtMs = timeOf(line["timestamp"]);
  const reason = providerReason(message);
  return [
    {
      kind: "call",
      call: {
        id: call,
        line: number,
        model: textOf(model) ?? "unknown",
        ...(askedAtMs !== undefined && { askedAtMs }),
        ...(answeredAtMs !== undefined && { answeredAtMs }),
        usage: claudeUsage(usage),
        ...(agentId !== undefined && { agentId }),
        ...(reason !== undefined && { providerReason: reason }),
      },
    },
  ];
}
