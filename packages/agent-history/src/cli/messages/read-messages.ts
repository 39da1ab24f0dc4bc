import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";
import { collectTranscript, transcriptFormat, transcriptReader } from "@agent-history/transcripts";

import { invalidOption, parsed } from "../cli-context.ts";
import { FILE_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";

/** The content of a message file. */
export interface MessageFile {
  readonly entries: readonly HistoryEntry[];
  /** The format of the messages; sessions of tools are converted to `entries`. */
  readonly format: FileFormat;
  /** A JSON list, one object per line, or a request that contains messages. */
  readonly shape: "list" | "lines" | "request";
  /** The other fields of the request. */
  readonly fields: JsonObject;
  /** Number of damaged lines of a session; they are skipped. */
  readonly damagedLines: number;
}

/**
 * Reads messages: a JSON list, a request, or one message per line; or the final branch of a tool's session.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the text is not JSON or its format is unknown; `INVALID_ENTRY` for a damaged entry.
 */
export async function readMessages(text: string, from?: FileFormat): Promise<MessageFile> {
  const plain = text.replace(/^\uFEFF/, "").trim();
  if (plain === "")
    throw invalidInput(
      "The input is empty. Pass a file with messages, or pipe them to standard input.",
    );
  const whole = parsed(plain);
  const lines =
    whole === undefined ? plain.split("\n") : listOf(whole).map((one) => JSON.stringify(one));
  const tool = from === undefined ? transcriptFormat(lines) : undefined;
  if (tool !== undefined) {
    const reader = transcriptReader(tool);
    const items = [...lines.flatMap(reader.read), ...reader.end()];
    const { entries, problems } = collectTranscript(items);
    const damagedLines = problems.length;
    return { entries, format: "entries", shape: "list", fields: {}, damagedLines };
  }
  const value = whole ?? lines.flatMap(parsedLine);
  const format = from ?? formatOf(value);
  const { list, read } = messageCodecs[format];
  const holder = isJsonObject(value) && Array.isArray(value[list]) ? value : {};
  const { [list]: given = value, ...fields } = holder;
  const messages = listOf(given);
  const strange = messages.findIndex((message) => !isJsonObject(message));
  if (strange >= 0) throw invalidInput(`Expected message ${strange + 1} to be a JSON object.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers accept objects of any shape
  const entries = await read(messages as readonly never[], fields);
  const shape = holder === value ? "request" : whole === undefined ? "lines" : "list";
  return { entries, format, shape, fields, damagedLines: 0 };
}

/** Detects the format of messages: the first that one of them shows. */
function formatOf(value: JsonValue): FileFormat {
  const holder = isJsonObject(value) ? value : {};
  const { contents, messages, input, entries } = holder;
  const given = [contents, messages, input, entries].find(Array.isArray) ?? value;
  const list = listOf(given).filter(isJsonObject);
  const shown = SIGNS.find(([, isOwn]) => list.some(isOwn))?.[0];
  const format = Array.isArray(contents) ? "google" : shown;
  // Plain text fits several formats; the field that holds it, or a `system` field beside it, decides.
  if (format === "openai-chat" && given === input) return "openai-responses";
  if (format === "openai-chat" && "system" in holder) return "anthropic";
  if (format !== undefined) return format;
  throw invalidInput(
    `Cannot detect the format of the messages. Pass --from with one of ${FILE_FORMATS.join(", ")}.`,
  );
}

/** What only a message of one format has, most specific formats first. */
const SIGNS: readonly (readonly [FileFormat, (message: JsonObject) => boolean])[] = [
  ["entries", ({ kind, entry }) => kind === "entry" && isJsonObject(entry)],
  ["entries", ({ type, createdAtMs }) => type !== undefined && typeof createdAtMs === "number"],
  ["google-interactions", ({ type }) => type === "user_input"],
  ["google", ({ role }) => role === "model"],
  ["openai-responses", ({ type }) => RESPONSE_ITEMS.test(textOf(type) ?? "")],
  ["ai-sdk-ui", ({ role, parts }) => role !== undefined && Array.isArray(parts)],
  ["ai-sdk", (message) => hasPart(message, AI_SDK_PARTS)],
  ["anthropic", (message) => hasPart(message, ANTHROPIC_BLOCKS)],
  ["openai-chat", ({ role }) => typeof role === "string"],
];

const RESPONSE_ITEMS =
  /^(?:message|reasoning|compaction|item_reference|(?:function|custom_tool|computer|shell|local_shell|apply_patch|mcp|web_search|file_search|code_interpreter|image_generation)_call(?:_output)?)$/;
const AI_SDK_PARTS = /^(?:tool-call|tool-result|tool-approval-re(?:quest|sponse)|file|reasoning)$/;
const ANTHROPIC_BLOCKS =
  /^(?:tool_use|tool_result|thinking|redacted_thinking|server_tool_use|document|[a-z_]+_tool_result)$/;

function hasPart({ role, content }: JsonObject, types: RegExp): boolean {
  const parts = typeof role === "string" && Array.isArray(content) ? content : [];
  return parts.some((part) => isJsonObject(part) && types.test(textOf(part["type"]) ?? ""));
}

function parsedLine(line: string, index: number): readonly JsonValue[] {
  if (line.trim() === "") return [];
  const value = parsed(line);
  if (value !== undefined) return [value];
  throw invalidInput(
    `Line ${index + 1} is not valid JSON. Pass a JSON document, or one JSON document per line.`,
  );
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function invalidInput(message: string): Error {
  return invalidOption("file", message);
}
