import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { atifReader } from "./atif-reader.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import { codexReader } from "./codex-reader.ts";
import { copilotReader } from "./copilot-reader.ts";
import { readJsonLine } from "./internal/line-reader.ts";
import { messageFormats, messageReader } from "./message-reader.ts";
import type { MessageFormat } from "./message-reader.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-item.ts";

/** The supported tools and formats. */
export type TranscriptFormat = "claude-code" | "codex" | "copilot" | "atif" | MessageFormat;

/** Returns a reader for a format. */
export function transcriptReader(
  format: TranscriptFormat,
  options: TranscriptReaderOptions = {},
): TranscriptReader {
  switch (format) {
    case "claude-code":
      return claudeCodeReader(options);
    case "codex":
      return codexReader(options);
    case "copilot":
      return copilotReader(options);
    case "atif":
      return atifReader(options);
    default:
      return messageReader(format, options);
  }
}

/**
 * Detects the format of a JSON Lines file from its first lines; `undefined` if unknown. Some lines do not show the format: pass as many as you have. Messages that fit several
 * formats (a role and a text) count as `chat`.
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
  let plain: MessageFormat | undefined;
  for (const line of lines) {
    for (const object of readJsonLine(line).objects) {
      const format = formatOfTool(object);
      if (format !== undefined) return format;
      // A chat may begin with messages that fit every format.
      if (plain === undefined || plain === "chat") plain = plainFormat(object) ?? plain;
    }
  }
  return plain;
}

/** Detects formats whose lines or documents show which tool wrote them. */
function formatOfTool(object: JsonObject): TranscriptFormat | undefined {
  const { type, payload, uuid, message, sessionId, data, steps } = object;
  if (typeof object["schema_version"] === "string" && Array.isArray(steps)) return "atif";
  if (typeof type !== "string") return undefined;
  if (CODEX_TYPES.test(type) && isJsonObject(payload)) return "codex";
  if (COPILOT_TYPES.test(type) && isJsonObject(data)) return "copilot";
  const isClaude = CLAUDE_TYPES.test(type) || isJsonObject(message);
  return isClaude && (typeof uuid === "string" || typeof sessionId === "string")
    ? "claude-code"
    : undefined;
}

/** Detects the format of a message, or of the first message of a request that shows it. */
function plainFormat(object: JsonObject): MessageFormat | undefined {
  return FORMATS.find((format) => {
    const { list, isOwn } = messageFormats[format];
    const messages = object[list];
    return Array.isArray(messages)
      ? messages.some((message) => isJsonObject(message) && isOwn(message))
      : isOwn(object);
  });
}

const FORMATS: readonly MessageFormat[] = ["entries", "responses", "ai-sdk", "anthropic", "chat"];

const COPILOT_TYPES = /^(?:session|user|assistant|tool|system|hook)\.[a-z_]+$/;
const CODEX_TYPES = /^(?:session_meta|turn_context|response_item|event_msg|compacted)$/;
const CLAUDE_TYPES = /^(?:user|assistant|system|progress|attachment|queue-operation)$/;

/**
 * Splits a JSON document into the lines that a reader takes: one per message of a list, or one for a request or trajectory.
 *
 * @throws `SyntaxError` if the text is not JSON.
 *
 * @example
 * ```ts
 * import { documentLines } from "@agent-history/transcripts";
 *
 * documentLines('[\n  { "role": "user", "content": "Hello." }\n]');
 * // => ['{"role":"user","content":"Hello."}']
 * ```
 */
export function documentLines(text: string): readonly string[] {
  const value: JsonValue = JSON.parse(text);
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => JSON.stringify(one));
}

/** Returns whether a file that begins with this line is one JSON document, which may span lines, rather than JSON Lines. */
export function beginsDocument(line: string): boolean {
  return /^\s*(?:\[|\{\s*$)/.test(line);
}
