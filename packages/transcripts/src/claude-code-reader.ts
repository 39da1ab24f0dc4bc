import type { JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, textOf } from "@agent-history/format-kit";

import { changedFacts } from "./internal/changed-facts.ts";
import { agentOf, parentOf } from "./internal/claude-code/claude-line.ts";
import { claudeState } from "./internal/claude-code/claude-state.ts";
import type { ClaudeState } from "./internal/claude-code/claude-state.ts";
import { closeClaudeAnswer, readClaudeAnswer } from "./internal/claude-code/read-claude-answer.ts";
import { readClaudeSystem } from "./internal/claude-code/read-claude-system.ts";
import { readClaudeUser } from "./internal/claude-code/read-claude-user.ts";
import { lineReader } from "./internal/line-reader.ts";
import type { SessionItem, TranscriptItem } from "./transcript-item.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-reader.ts";

/**
 * Reads a session of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its subagents.
 *
 * An answer stands on one line for each of its blocks, and each line repeats its usage: it is one entry and one call, with the usage of its last line. What Claude Code writes in the user's name is
 * marked `isMeta` and begins no turn. A compaction's summary is a `summary` entry that covers what came before it. Rewound branches are read, too; `collectTranscript`
 * leaves them out.
 *
 * @example
 * ```ts
 * import { claudeCodeReader } from "@agent-history/transcripts";
 *
 * const reader = claudeCodeReader();
 * const message = { role: "user", content: "Run the tests." };
 * const line = JSON.stringify({ type: "user", uuid: "u1", sessionId: "s1", message });
 * reader.read(line).map(({ kind }) => kind);
 * // => ["session", "turn", "entry"]
 * ```
 */
export function claudeCodeReader(options: TranscriptReaderOptions = {}): TranscriptReader {
  const state = claudeState(options);
  return lineReader({
    read: (line, number) => readLine(state, line, number),
    end: () =>
      [...state.open.keys()].flatMap((agentId) =>
        closeClaudeAnswer(state, agentId === "" ? undefined : agentId),
      ),
  });
}

function readLine(state: ClaudeState, line: JsonObject, number: number): readonly TranscriptItem[] {
  const uuid = nameOf(line["uuid"]);
  if (uuid !== undefined && state.tree.has(uuid)) {
    return [{ kind: "problem", line: number, problem: "repeated" }];
  }
  const { type, message } = line;
  const facts = factsOf(state, line);
  if (isJsonObject(message) && (type === "user" || type === "assistant")) {
    const read = type === "user" ? readClaudeUser : readClaudeAnswer;
    return [...facts, ...read(state, { line, number, message, id: uuid ?? `line-${number}` })];
  }
  if (uuid !== undefined) state.tree.add(uuid, state.tree.nodeOf(parentOf(line), agentOf(line)));
  return type === "system" ? [...facts, ...readClaudeSystem(state, { line, number })] : facts;
}

function factsOf(state: ClaudeState, line: JsonObject): readonly SessionItem[] {
  const item = changedFacts(state.facts, {
    sessionId: textOf(line["sessionId"]),
    cwd: textOf(line["cwd"]),
    title: titleOf(line),
    version: textOf(line["version"]),
    gitBranch: textOf(line["gitBranch"]),
  });
  state.facts = { ...state.facts, ...item?.facts };
  return item === undefined ? [] : [item];
}

function titleOf({ type, customTitle, summary }: JsonObject): string | undefined {
  if (type === "custom-title") return textOf(customTitle);
  return type === "summary" ? textOf(summary) : undefined;
}
