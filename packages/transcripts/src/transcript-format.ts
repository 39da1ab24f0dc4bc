import type { JsonObject } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { claudeCodeReader } from "./claude-code-reader.ts";
import { codexReader } from "./codex-reader.ts";
import { copilotReader } from "./copilot-reader.ts";
import { readJsonLine } from "./internal/line-reader.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-item.ts";

/** The tools whose sessions are read. */
export type TranscriptFormat = "claude-code" | "codex" | "copilot";

const READERS = { "claude-code": claudeCodeReader, codex: codexReader, copilot: copilotReader };

/** Returns a reader for the sessions of a tool. */
export function transcriptReader(
  format: TranscriptFormat,
  options: TranscriptReaderOptions = {},
): TranscriptReader {
  return READERS[format](options);
}

/**
 * Detects which tool wrote a JSON Lines file from its first lines; `undefined` if unknown. Some lines do not show the tool: pass as many as you have.
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

function formatOf(line: JsonObject): TranscriptFormat | undefined {
  const { type, payload, data, message, uuid, sessionId } = line;
  if (typeof type !== "string") return undefined;
  if (CODEX_TYPES.test(type) && isJsonObject(payload)) return "codex";
  if (COPILOT_TYPES.test(type) && isJsonObject(data)) return "copilot";
  if (!CLAUDE_TYPES.test(type) && !isJsonObject(message)) return undefined;
  return typeof (uuid ?? sessionId) === "string" ? "claude-code" : undefined;
}

const COPILOT_TYPES = /^(?:session|user|assistant|tool|system|hook)\.[a-z_]+$/;
const CODEX_TYPES = /^(?:session_meta|turn_context|response_item|event_msg|compacted)$/;
const CLAUDE_TYPES = /^(?:user|assistant|system|progress|attachment|queue-operation)$/;
