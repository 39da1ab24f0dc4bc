import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";
import type { TargetFormat } from "@agent-history/format-kit";
import type { OpenAIHost } from "@agent-history/openai";
import { transcriptLines } from "@agent-history/transcripts/node";

import type { CliContext } from "../cli-context.ts";
import { cannotRead, invalidOption, parsed } from "../cli-context.ts";
import { countText } from "../number-text.ts";
import { API_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";
import { readMessages } from "./read-messages.ts";
import type { MessageFile } from "./read-messages.ts";

/** Options common to all commands that read messages, as typed. */
export interface MessageOptions {
  readonly json?: true;
  readonly from?: FileFormat;
  readonly to?: FileFormat;
}

/** `--for` and `--host`, which select the rules of an API. */
export interface RuleOptions {
  readonly for?: keyof typeof API_FORMATS;
  readonly host?: OpenAIHost;
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
  const file = await readMessages(text, from);
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

/** Returns the rules and the format of the API that `--for` and `--host` name; `undefined` without `--for`. */
export function targetOption({
  for: api,
  host,
}: RuleOptions): { readonly target: TargetFormat; readonly format: FileFormat } | undefined {
  const format = api === undefined ? undefined : API_FORMATS[api];
  const target = format && messageCodecs[format].target?.(host);
  return format && target && { target, format };
}
