import { HistoryError } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  ModelWindow,
  TokenCounter,
} from "@agent-history/core";
import { textOf } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import type { OpenAIHost } from "@agent-history/openai";
import { transcriptLines } from "@agent-history/transcripts/node";

import { modelParts, windowOfModel } from "../../for-model.ts";
import type { CliContext } from "../cli-context.ts";
import { cannotRead, invalidOption, parsed } from "../cli-context.ts";
import { countText } from "../number-text.ts";
import { API_FORMATS, FILE_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";
import { readMessages } from "./read-messages.ts";
import type { MessageFile } from "./read-messages.ts";

/** Options common to all commands that read messages, as typed. */
export interface MessageOptions {
  readonly json?: true;
  readonly from?: string;
  readonly to?: string;
}

/** Reads messages from a file or standard input. */
export async function messageFileOf(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions,
): Promise<MessageFile> {
  return messagesIn(context, await inputText(context, path), options);
}

/** Reads a file (also `.gz`) or standard input. */
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
    throw new HistoryError(cannotRead(path, cause), { code: "NOT_FOUND", details, cause });
  }
}

/** Parses the messages in a text, and warns about damaged lines. */
export async function messagesIn(
  { tell }: CliContext,
  text: string,
  { from }: MessageOptions,
): Promise<MessageFile> {
  const file = await readMessages(text, formatOption("from", from));
  if (file.damagedLines > 0) tell(`Skipped ${countText(file.damagedLines, "damaged line")}.\n`);
  return file;
}

/** Reads a JSON file. */
export async function jsonFile(context: CliContext, path: string): Promise<JsonValue> {
  const value = parsed(await inputText(context, path));
  if (value === undefined) throw invalidOption("file", `Expected ${path} to contain valid JSON.`);
  return value;
}

/** Options of writing: `to` is the target format, by default the input format; `facts` are printed as well. */
interface WriteOptions {
  readonly to?: FileFormat | undefined;
  readonly facts?: object | undefined;
}

/** Writes entries in the shape of their file: a list, lines, or the request with its other fields. */
export function writeMessages(
  { format, shape, fields }: MessageFile,
  entries: readonly HistoryEntry[],
  { to = format, facts }: WriteOptions = {},
): string {
  const { list, write } = messageCodecs[to];
  const written = write(entries);
  const messages: unknown = Reflect.get(written, list);
  // Fields beside the messages belong to one format; another would not understand them.
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

/** Reads `--for` and `--host`, and returns the API's rules and format; `undefined` without `--for`. */
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
  throw invalidOption(
    option,
    `Expected --${option} to be one of ${known.join(", ")}; got ${typed}.`,
  );
}

/** Options of commands that count tokens, as typed. */
export interface CountOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: string;
  readonly reserve?: string;
  readonly estimate?: true;
}

/**
 * Returns the window and the counter of `--model`, or of the model that the request names.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if neither a model nor a window is known.
 */
export function windowOf(
  { model: named, window: size, reserve, estimate }: CountOptions,
  fields: JsonObject,
): { readonly window: ModelWindow; readonly counter: TokenCounter } {
  const model = named ?? textOf(fields["model"]);
  if (model === undefined && size === undefined) {
    throw invalidOption(
      "model",
      "The context window is unknown. Pass --model NAME or --window TOKENS.",
    );
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

/** Parses a number of tokens. */
export function tokensOption(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const tokens = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(tokens) && tokens >= 0) return tokens;
  throw invalidOption(option, `Expected --${option} to be a number of tokens; got ${typed}.`);
}
