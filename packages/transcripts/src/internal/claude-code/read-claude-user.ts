import type { TranscriptItem } from "../../transcript-item.ts";
import { requestTitle } from "../is-request-text.ts";
import { timeOf } from "../time-of.ts";
import {
  agentOf,
  blocksOf,
  isRequest,
  isResult,
  parentOf,
  originOf,
  textIn,
} from "./claude-line.ts";
import type { ClaudeMessageLine } from "./claude-line.ts";
import { turnOf, writeMessage } from "./claude-state.ts";
import type { ClaudeState } from "./claude-state.ts";
import { closeClaudeAnswer } from "./read-claude-answer.ts";

/** Reads a line of a user: a request, results of tools, a summary, or what Claude Code writes in the user's name. */
export function readClaudeUser(
  state: ClaudeState,
  from: ClaudeMessageLine,
): readonly TranscriptItem[] {
  const { line, number, message, id } = from;
  const agentId = agentOf(line);
  const atMs = timeOf(line["timestamp"]) ?? 0;
  if (atMs > 0) state.askedAtMs.set(agentId ?? "", atMs);
  const parent = state.tree.nodeOf(parentOf(line), agentId);
  state.tree.begin(id, agentId);
  if (line["isCompactSummary"] === true) return readSummary(state, from, parent);
  const isTool = blocksOf(message["content"]).some(isResult);
  const open = state.open.get(agentId ?? "");
  if (isTool) {
    // A result may be logged between two lines of the answer that asked for it, and before the one that it names.
    const origin = originOf(from, { node: id, parent: parent ?? open?.origin.node });
    const result = { message, atMs, turnId: turnOf(state, agentId), origin };
    open?.results.push(result);
    return open === undefined ? writeMessage(state, result) : [];
  }
  const closed = closeClaudeAnswer(state, agentId);
  const isMeta = line["isMeta"] === true || !isRequest(message["content"]);
  const origin = { ...originOf(from, { node: id, parent }), ...(isMeta && { isMeta }) };
  const begins = !isMeta && agentId === undefined;
  if (begins) state.turns += 1;
  const turnId = turnOf(state, agentId);
  const turn: readonly TranscriptItem[] =
    begins && turnId !== undefined
      ? [
          {
            kind: "turn",
            line: number,
            turnId,
            ...(atMs > 0 && { atMs }),
            ...requestTitle(textIn(message["content"])),
          },
        ]
      : [];
  return [...closed, ...turn, ...writeMessage(state, { message, atMs, turnId, origin })];
}

function readSummary(
  state: ClaudeState,
  from: ClaudeMessageLine,
  parent: string | undefined,
): readonly TranscriptItem[] {
  const { line, message, id } = from;
  const agentId = agentOf(line);
  const closed = closeClaudeAnswer(state, agentId);
  const { keptFrom } = state;
  state.keptFrom = undefined;
  if (!state.withEntries) return closed;
  const origin = { ...originOf(from, { node: id, parent }), isMeta: true };
  const atMs = timeOf(line["timestamp"]) ?? 0;
  const content = textIn(message["content"]);
  const kept = keptFrom === undefined ? {} : { keptFrom };
  const item = state.writer.summarize({ content, atMs, ...kept }, origin);
  const source = { message, atMs, turnId: turnOf(state, agentId), origin };
  return [...closed, ...(item === undefined ? writeMessage(state, source) : [item])];
}
