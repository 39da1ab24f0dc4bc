import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import type { TranscriptItem } from "../../transcript-item.ts";
import { countOf } from "../claude-usage.ts";
import { timeOf } from "../time-of.ts";
import { agentOf } from "./claude-line.ts";
import type { ClaudeLine } from "./claude-line.ts";
import type { ClaudeState } from "./claude-state.ts";
import { closeClaudeAnswer } from "./read-claude-answer.ts";

/** Reads where a history was compacted, or results were cleared. */
export function readClaudeSystem(
  state: ClaudeState,
  { line, number }: ClaudeLine,
): readonly TranscriptItem[] {
  const { subtype } = line;
  const isSummary = subtype === "compact_boundary";
  if (!isSummary && subtype !== "microcompact_boundary") return [];
  const agentId = agentOf(line);
  const metadata = line[isSummary ? "compactMetadata" : "microcompactMetadata"];
  const said = isJsonObject(metadata) ? metadata : {};
  const segment = said["preservedSegment"];
  if (isSummary && isJsonObject(segment)) {
    state.keptFrom = state.tree.nodeOf(nameOf(segment["headUuid"]), agentId);
  }
  const atMs = timeOf(line["timestamp"]);
  const trigger = textOf(said["trigger"]);
  const cleared = said["compactedToolIds"];
  const preTokens = countOf(said["preTokens"]);
  const postTokens = countOf(said["postTokens"]);
  return [
    ...closeClaudeAnswer(state, agentId),
    {
      kind: "compaction",
      line: number,
      how: isSummary ? "summary" : "clearing",
      ...(atMs !== undefined && { atMs }),
      ...(trigger !== undefined && { trigger }),
      ...(preTokens > 0 && { preTokens }),
      ...(postTokens > 0 && { postTokens }),
      ...(Array.isArray(cleared) && { callIds: cleared.flatMap((id) => textOf(id) ?? []) }),
      ...(agentId !== undefined && { agentId }),
    },
  ];
}
