import type { JsonObject } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";

import { changedFacts } from "./internal/changed-facts.ts";
import { codexState } from "./internal/codex/codex-state.ts";
import type { CodexState } from "./internal/codex/codex-state.ts";
import { readCodexCompaction } from "./internal/codex/read-codex-compaction.ts";
import { closeCodexAnswer, readCodexItem } from "./internal/codex/read-codex-item.ts";
import { readCodexUsage } from "./internal/codex/read-codex-usage.ts";
import { lineReader } from "./internal/line-reader.ts";
import { timeOf } from "./internal/time-of.ts";
import type { TranscriptItem } from "./transcript-item.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-reader.ts";

/**
 * Reads a rollout of Codex CLI: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.
 *
 * The items of one answer are one entry. A call's usage is what its `token_count` event adds; repeated events count once. The instructions that Codex writes in the user's
 * name are marked `isMeta`. Where the provider encrypts a compaction's summary, the `summary` entry holds the requests that Codex kept beside it.
 *
 * @example
 * ```ts
 * import { codexReader } from "@agent-history/transcripts";
 *
 * const reader = codexReader();
 * const payload = { type: "message", role: "user", content: "Run the tests." };
 * reader.read(JSON.stringify({ type: "response_item", payload })).map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function codexReader(options: TranscriptReaderOptions = {}): TranscriptReader {
  const state = codexState(options);
  return lineReader({
    read: (line, number) => readLine(state, line, number),
    end: () => closeCodexAnswer(state),
  });
}

function readLine(state: CodexState, line: JsonObject, number: number): readonly TranscriptItem[] {
  const payload = isJsonObject(line["payload"]) ? line["payload"] : {};
  const read = { payload, number, atMs: timeOf(line["timestamp"]) ?? 0 };
  switch (line["type"]) {
    case "session_meta":
      return readFacts(state, payload);
    case "turn_context":
      state.model = textOf(payload["model"]) ?? state.model;
      state.cwd = textOf(payload["cwd"]) ?? state.cwd;
      return [];
    case "response_item":
      return readCodexItem(state, read);
    case "compacted":
      return readCodexCompaction(state, read);
    case "event_msg":
      return payload["type"] === "token_count" ? readCodexUsage(state, read) : [];
    default:
      return [];
  }
}

/** The first line is of this session; later ones may be of the session that it was forked from. */
function readFacts(state: CodexState, payload: JsonObject): readonly TranscriptItem[] {
  const git = isJsonObject(payload["git"]) ? payload["git"] : {};
  state.cwd = textOf(payload["cwd"]) ?? state.cwd;
  const item = changedFacts(state.facts, {
    sessionId: state.facts.sessionId ?? textOf(payload["id"]),
    cwd: state.facts.cwd ?? state.cwd,
    title: undefined,
    version: textOf(payload["cli_version"]),
    gitBranch: textOf(git["branch"]),
  });
  state.facts = { ...state.facts, ...item?.facts };
  return item === undefined ? [] : [item];
}
