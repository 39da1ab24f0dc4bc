import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";
import { collectTranscript, transcriptFormat, transcriptReader } from "@agent-history/transcripts";
import type { TranscriptFormat } from "@agent-history/transcripts";

import { invalidOption, parsed } from "../cli-context.ts";
import { FILE_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";

/** Messages as they stand in a file. */
export interface MessageFile {
  readonly entries: readonly HistoryEntry[];
  /** The format of the messages; sessions of tools become `entries`. */
  readonly format: FileFormat;
  /** A list, an object on each line, or a request with messages in it. */
  readonly shape: "list" | "lines" | "request";
  /** What stands in the request beside the messages. */
  readonly fields: JsonObject;
  /** How many lines of a session were damaged; they are left out. */
  readonly damagedLines: number;
}

/**
 * Reads messages: a JSON list, a request, or one message on each line; or a session of a tool, as its agent ended with it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where it is no JSON, or of no known format; `INVALID_ENTRY` for a damaged entry.
 */
export async function readMessages(text: string, from?: FileFormat): Promise<MessageFile> {
  const plain = text.replace(/^\uFEFF/, "").trim();
  if (plain === "") throw invalidOption("file", "Expected messages, got an empty input.");
  const whole = parsed(plain);
  const lines =
    whole === undefined ? plain.split("\n") : listOf(whole).map((one) => JSON.stringify(one));
  const found = from ?? googleFormat(whole) ?? transcriptFormat(lines);
  if (found !== undefined && !isFileFormat(found)) {
    const reader = transcriptReader(found);
    const items = [...lines.flatMap(reader.read), ...reader.end()];
    const { entries, problems } = collectTranscript(items);
    const damagedLines = problems.length;
    return { entries, format: "entries", shape: "list", fields: {}, damagedLines };
  }
  const value = whole ?? lines.flatMap(parsedLine);
  const format = from ?? formatOf(value, found);
  const { list, read } = messageCodecs[format];
  const holder = isJsonObject(value) && Array.isArray(value[list]) ? value : {};
  const { [list]: messages = value, ...fields } = holder;
  const entries = await read(listOf(messages).map(requireObject), fields);
  const shape = holder === value ? "request" : whole === undefined ? "lines" : "list";
  return { entries, format, shape, fields, damagedLines: 0 };
}

/** Which of Google's formats a document is in, if it is. */
function googleFormat(value: JsonValue | undefined): "google" | "google-interactions" | undefined {
  const { contents, input = value } = isJsonObject(value) ? value : {};
  const steps = listOf(input ?? []);
  if (steps.some((one) => isJsonObject(one) && one["type"] === "user_input")) {
    return "google-interactions";
  }
  const isContents = steps.some((one) => isJsonObject(one) && one["role"] === "model");
  return Array.isArray(contents) || isContents ? "google" : undefined;
}

/** The format of plain messages. */
function formatOf(value: JsonValue, found: FileFormat | undefined): FileFormat {
  if (found === undefined) {
    const known = FILE_FORMATS.join("|");
    throw invalidOption("file", `Expected messages of a known format. Name it: --from ${known}`);
  }
  // Plain texts are of many formats; only Anthropic's requests have `system` beside them.
  if (found === "chat" && isJsonObject(value) && "system" in value) return "anthropic";
  if (found !== "ai-sdk") return found;
  const messages = isJsonObject(value) ? value["messages"] : value;
  const isOfPage = listOf(messages ?? []).some((one) => isJsonObject(one) && "parts" in one);
  return isOfPage ? "ai-sdk-ui" : "ai-sdk";
}

function requireObject(value: JsonValue, index: number): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalidOption("file", `Expected message ${index + 1} to be an object.`);
}

function isFileFormat(format: TranscriptFormat | FileFormat): format is FileFormat {
  return FILE_FORMATS.some((known) => known === format);
}

function parsedLine(line: string, index: number): readonly JsonValue[] {
  const value = line.trim() === "" ? [] : parsed(line);
  if (value !== undefined) return line.trim() === "" ? [] : [value];
  throw invalidOption(
    "file",
    `Expected a JSON document, or one on each line. Line ${index + 1} is not JSON: correct or remove it.`,
  );
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
