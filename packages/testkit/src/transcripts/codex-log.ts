import type { JsonObject } from "@agent-history/core";

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
    request: (text) => line("response_item", messageOf(text)),
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
      line("compacted", { message, replacement_history: kept.map(messageOf) }),
    wait: (ms) => void (nowMs += ms),
    take: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function messageOf(text: string): JsonObject {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}
