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

/** The tools and formats whose transcripts are read. */
export type TranscriptFormat = "claude-code" | "codex" | "copilot" | "atif" | MessageFormat;

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
    case "copilot":
      return copilotReader(options);
    case "atif":
      return atifReader(options);
    default:
      return messageReader(format, options);
  }
}

/**
 * Tells the format of a file of JSON lines by its first ones; `undefined` if they are of no known format. Some lines say nothing: pass as many as you have. Messages that several formats
 * share (a role and a text) are those of a chat.
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
      // A chat may begin with messages that every format has.
      if (plain === undefined || plain === "chat") plain = plainFormat(object) ?? plain;
    }
  }
  return plain;
}

/** The formats whose lines or documents say which tool wrote them. */
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

/** The format of a message, or of the first message of a request that says it. */
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
 * Turns a JSON document into the lines that a reader takes: one for each message of a list, one for a request or a trajectory.
 *
 * @throws `SyntaxError` if it is no JSON.
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

/** Whether a file that begins with a line is one JSON document, which may span lines, and not one object on each line. */
export function beginsDocument(line: string): boolean {
  return /^\s*(?:\[|\{\s*$)/.test(line);
}
