import type { JsonObject } from "@agent-history/core";

/** The tokens that an answer reports. What is missing is 0. */
export interface LoggedUsage {
  readonly input?: number;
  readonly read?: number;
  readonly written?: number;
  /** Writes live for an hour instead of five minutes. */
  readonly oneHour?: boolean;
  readonly output?: number;
}

export interface LoggedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface LoggedAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly LoggedCall[];
  readonly usage?: LoggedUsage;
  readonly model?: string;
}

/** Writes lines as Claude Code does: each follows the one before in a tree, one second later. Each method but `take` returns the id of its newest line. */
export interface ClaudeCodeLog {
  readonly request: (text: string, extra?: JsonObject) => string;
  /** Writes a line for each block. */
  readonly answer: (answer: LoggedAnswer) => string;
  readonly result: (callId: string, text: string, isError?: boolean) => string;
  readonly compaction: (summary: string, preTokens: number) => string;
  /** Clears results of old calls. */
  readonly clearing: (callIds: readonly string[]) => string;
  /** Writes a line with fields of your own. */
  readonly line: (fields: JsonObject) => string;
  readonly wait: (ms: number) => void;
  /** The next line follows this one. */
  readonly rewind: (id: string | undefined) => void;
  /** Returns the lines since the last time, and forgets them. */
  readonly take: () => readonly string[];
}

export interface ClaudeCodeLogOptions {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly startMs?: number;
  /** The subagent that writes: its lines are a side chain. */
  readonly agentId?: string;
}

/**
 * Writes a session of Claude Code, for tests of what reads one.
 */
export function claudeCodeLog({
  sessionId = "session-1",
  cwd = "/work/shop",
  startMs = Date.UTC(2026, 0, 5, 9),
  agentId,
}: ClaudeCodeLogOptions = {}): ClaudeCodeLog {
  const log = treeLog({ sessionId, cwd, startMs, agentId });
  const { line } = log;
  let answers = 0;
  const request = (content: string, extra: JsonObject = {}): string =>
    line({ type: "user", message: { role: "user", content }, ...extra });
  return {
    ...log,
    request,
    answer: (answer) => {
      answers += 1;
      let id = "";
      for (const block of blocksOf(answer)) {
        id = line({
          type: "assistant",
          requestId: `req-${agentId ?? sessionId}-${answers}`,
          message: messageOf(answer, `msg-${agentId ?? sessionId}-${answers}`, block),
        });
      }
      return id;
    },
    result: (callId, content, isError = false) => {
      const block = {
        type: "tool_result",
        tool_use_id: callId,
        content,
        ...(isError && { is_error: true }),
      };
      return line({ type: "user", message: { role: "user", content: [block] } });
    },
    compaction: (summary, preTokens) => {
      log.cut({ compactMetadata: { trigger: "auto", preTokens } });
      return request(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    },
    clearing: (compactedToolIds) => {
      const microcompactMetadata = { trigger: "auto", compactedToolIds: [...compactedToolIds] };
      return line({ type: "system", subtype: "microcompact_boundary", microcompactMetadata });
    },
  };
}

type TreeLog = Pick<ClaudeCodeLog, "line" | "wait" | "rewind" | "take"> & {
  /** Writes the line of a compaction. */
  readonly cut: (fields: JsonObject) => void;
};

function treeLog({
  sessionId,
  cwd,
  startMs,
  agentId,
}: Required<Omit<ClaudeCodeLogOptions, "agentId">> & {
  readonly agentId: string | undefined;
}): TreeLog {
  let lines: string[] = [];
  let count = 0;
  let nowMs = startMs;
  let parentUuid: string | null = null;
  const line = (fields: JsonObject): string => {
    count += 1;
    nowMs += 1000;
    const uuid = `${agentId ?? sessionId}-${count}`;
    const side = { isSidechain: agentId !== undefined, ...(agentId !== undefined && { agentId }) };
    const common = { cwd, sessionId, version: "2.1.0", gitBranch: "main", uuid };
    const timestamp = new Date(nowMs).toISOString();
    lines.push(JSON.stringify({ parentUuid, ...side, ...common, timestamp, ...fields }));
    parentUuid = uuid;
    return uuid;
  };
  return {
    line,
    cut: (fields) => {
      const logicalParentUuid = parentUuid;
      parentUuid = null;
      line({ type: "system", subtype: "compact_boundary", logicalParentUuid, ...fields });
    },
    wait: (ms) => void (nowMs += ms),
    rewind: (id) => void (parentUuid = id ?? null),
    take: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function blocksOf({ thinking, text, calls = [] }: LoggedAnswer): readonly JsonObject[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: "c2ln" }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map((call): JsonObject => ({ type: "tool_use", ...call })),
  ];
}

function messageOf(
  { usage = {}, model = "claude-sonnet-4-5-20250929" }: LoggedAnswer,
  id: string,
  block: JsonObject,
): JsonObject {
  const { input = 0, read = 0, written = 0, oneHour = false, output = 0 } = usage;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    usage: {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      cache_creation: {
        ephemeral_5m_input_tokens: oneHour ? 0 : written,
        ephemeral_1h_input_tokens: oneHour ? written : 0,
      },
      output_tokens: output,
    },
  };
}

/** The tokens of a call as Codex counts them: `cached` are among the `input`. */
export interface CodexUsage {
  readonly input: number;
  readonly cached?: number;
  readonly output?: number;
}

/** Writes lines as Codex does, one second apart. */
export interface CodexLog {
  /** Writes an item of the Responses API. */
  readonly item: (item: JsonObject) => void;
  readonly request: (text: string) => void;
  readonly usage: (usage: CodexUsage) => void;
  /** Writes the newest count of tokens again, as Codex does when the limits of an account have changed. */
  readonly repeatUsage: () => void;
  readonly compaction: (kept: readonly string[], message?: string) => void;
  readonly wait: (ms: number) => void;
  /** Returns the lines since the last time, and forgets them. */
  readonly take: () => readonly string[];
}

/** Writes a rollout of Codex CLI, for tests of what reads one. */
export function codexLog({
  sessionId = "rollout-1",
  cwd = "/work/shop",
  model = "gpt-5.4",
  startMs = Date.UTC(2026, 0, 5, 9),
}: {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly startMs?: number;
} = {}): CodexLog {
  let lines: string[] = [];
  let nowMs = startMs;
  let info: JsonObject = {};
  let total = 0;
  const line = (type: string, payload: JsonObject): void => {
    nowMs += 1000;
    lines.push(JSON.stringify({ timestamp: new Date(nowMs).toISOString(), type, payload }));
  };
  const count = (): void => line("event_msg", { type: "token_count", info });
  line("session_meta", { id: sessionId, cwd, cli_version: "0.140.0", git: { branch: "main" } });
  line("turn_context", { cwd, model });
  return {
    item: (item) => line("response_item", item),
    request: (text) => line("response_item", userItem(text)),
    usage: ({ input, cached = 0, output = 0 }) => {
      total += input + output;
      info = {
        total_token_usage: { total_tokens: total },
        last_token_usage: {
          input_tokens: input,
          cached_input_tokens: cached,
          output_tokens: output,
        },
      };
      count();
    },
    repeatUsage: count,
    compaction: (kept, message = "") =>
      line("compacted", { message, replacement_history: kept.map(userItem) }),
    wait: (ms) => void (nowMs += ms),
    take: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function userItem(text: string): JsonObject {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}
