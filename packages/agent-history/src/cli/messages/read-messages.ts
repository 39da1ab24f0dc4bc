import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";
import { collectTranscript, transcriptFormat, transcriptReader } from "@agent-history/transcripts";
import type { TranscriptFormat } from "@agent-history/transcripts";

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
    throw invalidOption(
      "file",
      "The input is empty. Pass a file with messages, or pipe them to standard input.",
    );
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

/** Returns which of Google's formats a document has, if any. */
function googleFormat(value: JsonValue | undefined): "google" | "google-interactions" | undefined {
  const { contents, input = value } = isJsonObject(value) ? value : {};
  const steps = listOf(input ?? []);
  if (steps.some((one) => isJsonObject(one) && one["type"] === "user_input")) {
    return "google-interactions";
  }
  const isContents = steps.some((one) => isJsonObject(one) && one["role"] === "model");
  return Array.isArray(contents) || isContents ? "google" : undefined;
}

/** Returns the format of plain messages. */
function formatOf(value: JsonValue, found: FileFormat | undefined): FileFormat {
  if (found === undefined) {
    const known = FILE_FORMATS.join(", ");
    throw invalidOption(
      "file",
      `Cannot detect the format of the messages. Pass --from with one of ${known}.`,
    );
  }
  // Plain text messages fit several formats; only Anthropic's requests have a `system` field.
  if (found === "chat" && isJsonObject(value) && "system" in value) return "anthropic";
  if (found !== "ai-sdk") return found;
  const messages = isJsonObject(value) ? value["messages"] : value;
  const isOfPage = listOf(messages ?? []).some((one) => isJsonObject(one) && "parts" in one);
  return isOfPage ? "ai-sdk-ui" : "ai-sdk";
}

function requireObject(value: JsonValue, index: number): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalidOption("file", `Expected message ${index + 1} to be a JSON object.`);
}

function isFileFormat(format: TranscriptFormat | FileFormat): format is FileFormat {
  return FILE_FORMATS.some((known) => known === format);
}

function parsedLine(line: string, index: number): readonly JsonValue[] {
  const value = line.trim() === "" ? [] : parsed(line);
  if (value !== undefined) return line.trim() === "" ? [] : [value];
  throw invalidOption(
    "file",
    `Line ${index + 1} is not valid JSON. Pass a JSON document, or one JSON document per line.`,
  );
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
