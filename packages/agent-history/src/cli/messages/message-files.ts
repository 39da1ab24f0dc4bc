import { HistoryError } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  ModelWindow,
  TokenCounter,
} from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import type { OpenAIHost } from "@agent-history/openai";
import { collectTranscript, transcriptFormat, transcriptReader } from "@agent-history/transcripts";
import type { TranscriptFormat } from "@agent-history/transcripts";
import { transcriptLines } from "@agent-history/transcripts/node";

import { modelParts, windowOfModel } from "../../internal/model-parts.ts";
import type { CliContext } from "../cli-context.ts";
import { API_FORMATS, FILE_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";

/** The options of every command that reads messages, as they are typed. */
export interface MessageOptions {
  readonly json?: true;
  readonly from?: string;
  readonly to?: string;
}

/** Messages as they stand in a file. */
export interface MessageFile {
  readonly entries: readonly HistoryEntry[];
  /** The format of the messages; sessions of tools become `entries`. */
  readonly format: FileFormat;
  /** A list, an object on each line, or a request with messages in it. */
  readonly shape: "list" | "lines" | "request";
  /** What stands in the request beside the messages. */
  readonly fields: JsonObject;
}

/** Reads the messages of a file, or of standard input. */
export async function messageFileOf(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions,
): Promise<MessageFile> {
  return messagesIn(context, await inputText(context, path), options);
}

/** Reads a file, `.gz` files too, or standard input. */
export async function inputText(
  { readInput }: CliContext,
  path: string | undefined,
): Promise<string> {
  if (path === undefined || path === "-") return readInput();
  try {
    const lines: string[] = [];
    for await (const line of transcriptLines(path)) lines.push(line);
    return lines.join("\n");
  } catch (cause) {
    const details = { option: "file" };
    throw new HistoryError(`Cannot read ${path}.`, { code: "NOT_FOUND", details, cause });
  }
}

/** Reads a JSON file. */
export async function jsonFile(context: CliContext, path: string): Promise<JsonValue> {
  const value = parsed(await inputText(context, path));
  if (value === undefined) throw invalidOption("file", `Expected ${path} to hold JSON.`);
  return value;
}

/**
 * Reads messages: a JSON list, a request, or one message on each line; or a session of a tool, as its agent ended with it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where it is no JSON, or of no known format; `INVALID_ENTRY` for a damaged entry.
 */
export async function messagesIn(
  { tell }: CliContext,
  text: string,
  options: MessageOptions,
): Promise<MessageFile> {
  const from = formatOption("from", options.from);
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
    if (problems.length > 0) tell(`Left out ${problems.length} damaged lines.\n`);
    return { entries, format: "entries", shape: "list", fields: {} };
  }
  const value = whole ?? lines.flatMap(parsedLine);
  const format = from ?? formatOf(value, found);
  const { list, read } = messageCodecs[format];
  const holder = isJsonObject(value) && Array.isArray(value[list]) ? value : {};
  const { [list]: messages = value, ...fields } = holder;
  const entries = await read(listOf(messages).map(requireObject), fields);
  const shape = holder === value ? "request" : whole === undefined ? "lines" : "list";
  return { entries, format, shape, fields };
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
    `Expected a JSON document, or one on each line. Line ${index + 1} is none: correct it, or remove it.`,
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

/** How messages are written: `to`, by default the format that they came in; `facts` are printed beside them. */
interface WriteOptions {
  readonly to?: FileFormat | undefined;
  readonly facts?: object | undefined;
}

/** Writes entries as the messages of a file, in its shape: a list, lines, or the request with its other fields. */
export function writeMessages(
  { format, shape, fields }: MessageFile,
  entries: readonly HistoryEntry[],
  { to = format, facts }: WriteOptions = {},
): string {
  const { list, write } = messageCodecs[to];
  const written = write(entries);
  const messages: unknown = Reflect.get(written, list);
  // What stands beside the messages in one format is not known to another.
  const beside = to === format ? fields : {};
  const isWhole = shape === "request" || Object.keys(written).length > 1;
  if (facts === undefined && !isWhole && shape === "lines" && Array.isArray(messages)) {
    return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  }
  const whole = facts !== undefined || isWhole ? { ...beside, ...written, ...facts } : messages;
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

/** Reads `--from` and `--to`. */
export function formatOption(
  option: "from" | "to",
  name: string | undefined,
): FileFormat | undefined {
  return oneOf(option, FILE_FORMATS, name);
}

const HOSTS: readonly OpenAIHost[] = [
  "openai",
  "compatible",
  "deepseek",
  "gemini",
  "groq",
  "mistral",
  "openrouter",
  "vllm",
];

/** Reads `--for` and `--host`: what the API takes, and its format; `undefined` without `--for`. */
export function targetOption(options: {
  readonly for?: string;
  readonly host?: string;
}): { readonly target: TargetFormat; readonly format: FileFormat } | undefined {
  const host = oneOf("host", HOSTS, options.host);
  const api = oneOf("for", Object.keys(API_FORMATS), options.for);
  const format = api === undefined ? undefined : API_FORMATS[api];
  const target = format && messageCodecs[format].target?.(host);
  return format && target && { target, format };
}

function oneOf<Name extends string>(
  option: string,
  known: readonly Name[],
  typed: string | undefined,
): Name | undefined {
  const name = known.find((one) => one === typed);
  if (typed === undefined || name !== undefined) return name;
  throw invalidOption(option, `Expected --${option} to be ${known.join(", ")}, got ${typed}.`);
}

/** The options of commands that count tokens, as they are typed. */
export interface CountOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: string;
  readonly reserve?: string;
  readonly estimate?: true;
}

/**
 * Gives the window and the counter of `--model`, or of the model that the request names.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where no model and no window is known.
 */
export function windowOf(
  { model: named, window: size, reserve, estimate }: CountOptions,
  fields: JsonObject,
): { readonly window: ModelWindow; readonly counter: TokenCounter } {
  const model = named ?? textOf(fields["model"]);
  if (model === undefined && size === undefined) {
    throw invalidOption("model", "Expected --model NAME or --window TOKENS.");
  }
  const outputReserveTokens = tokensOption("reserve", reserve);
  const contextTokens = tokensOption("window", size);
  const reserved = outputReserveTokens === undefined ? {} : { outputReserveTokens };
  const window =
    contextTokens === undefined
      ? windowOfModel(model ?? "", { advice: "Pass --window TOKENS.", ...reserved })
      : { contextTokens, ...reserved };
  return modelParts({ model, window, estimate });
}

/** Reads a number of tokens. */
export function tokensOption(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const tokens = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(tokens) && tokens >= 0) return tokens;
  throw invalidOption(option, `Expected --${option} to be a number of tokens, got ${typed}.`);
}

/** An error about an option. */
export function invalidOption(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}
