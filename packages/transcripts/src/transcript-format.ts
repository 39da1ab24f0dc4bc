import type { JsonObject } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { claudeCodeReader } from "./claude-code-reader.ts";
import { codexReader } from "./codex-reader.ts";
import { readJsonLine } from "./internal/read-json-line.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-reader.ts";

/** The tools and formats whose transcripts are read. */
export type TranscriptFormat = "claude-code" | "codex";

/** Returns a reader of a format. */
export function transcriptReader(
  format: TranscriptFormat,
  options: TranscriptReaderOptions = {},
): TranscriptReader {
  switch (format) {
    case "claude-code":
      return claudeCodeReader(options);
    case "codex":
      return codexReader(options);
  }
}

/**
 * Tells the format of a file of JSON lines by its first ones; `undefined` if they are of no known format. Some lines say nothing: pass as many as you have.
 *
 * @example
 * ```ts
 * import { transcriptFormat } from "@agent-history/transcripts";
 *
 * transcriptFormat(['{"type":"session_meta","payload":{"id":"s1"}}']);
 * // => "codex"
 * ```
 */
export function transcriptFormat(lines: Iterable<string>): TranscriptFormat | undefined {
  for (const line of lines) {
    for (const object of readJsonLine(line).objects) {
      const format = formatOf(object);
      if (format !== undefined) return format;
    }
  }
  return undefined;
}

function formatOf({
  type,
  payload,
  uuid,
  message,
  sessionId,
}: JsonObject): TranscriptFormat | undefined {
  if (typeof type !== "string") return undefined;
  if (CODEX_TYPES.has(type) && isJsonObject(payload)) return "codex";
  const isClaude = CLAUDE_TYPES.has(type) || isJsonObject(message);
  return isClaude && (typeof uuid === "string" || typeof sessionId === "string")
    ? "claude-code"
    : undefined;
}

const CODEX_TYPES = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
]);
const CLAUDE_TYPES = new Set([
  "user",
  "assistant",
  "system",
  "progress",
  "attachment",
  "queue-operation",
]);
