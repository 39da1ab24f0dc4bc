import { existsSync } from "node:fs";

import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";
import type { TargetFormat } from "@agent-history/format-kit";
import type { OpenAIHost } from "@agent-history/openai";
import { transcriptLines } from "@agent-history/transcripts/node";

import type { CliContext } from "../cli-context.ts";
import { invalidOption, parsed } from "../cli-context.ts";
import { countText } from "../number-text.ts";
import { findSessions } from "../sessions.ts";
import { wrapProse } from "../table.ts";
import type { APIS, FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";
import { readMessages } from "./read-messages.ts";
import type { MessageFile } from "./read-messages.ts";

/** Options common to all commands that read messages, as typed. */
export interface MessageOptions {
  readonly json?: true;
  readonly from?: FileFormat;
}

/** `--for` and `--host`, which select the rules of an API. */
export interface RuleOptions {
  readonly for?: (typeof APIS)[number];
  readonly host?: OpenAIHost;
}

/** Reads messages from a file, a session or standard input. */
export async function messageFileOf(
  context: CliContext,
  given: string | undefined,
  options: MessageOptions,
): Promise<MessageFile> {
  const text = await inputText(context, await pathOf(context, given));
  return messagesIn(context, text, options);
}

/** Returns the path of a file, or of the session with this id. */
export async function pathOf(
  context: CliContext,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined || given === "-" || existsSync(given)) return given;
  const [session] = await findSessions(context, {}, given);
  return session?.files[0]?.path;
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    const details = { option: "file" };
    throw new HistoryError(`Cannot read ${path}: ${reason}`, { code: "NOT_FOUND", details, cause });
  }
}

/** Reads a JSON file. */
export async function jsonFile(context: CliContext, path: string): Promise<JsonValue> {
  const value = parsed(await inputText(context, path));
  if (value === undefined) throw invalidOption("file", `Expected ${path} to contain valid JSON.`);
  return value;
}

/** Writes entries in the shape of their file (a list, lines, or the request with its other fields), and says what was done. */
export function writeMessages(
  context: CliContext,
  { format, shape, fields }: MessageFile,
  entries: readonly HistoryEntry[],
  {
    to = format,
    facts,
    said,
  }: {
    /** Default: the format of the file. */
    readonly to?: FileFormat | undefined;
    /** Printed beside the messages, with `--json`. */
    readonly facts?: object | false | undefined;
    /** Printed to standard error. */
    readonly said: readonly string[];
  },
): void {
  const { list, write } = messageCodecs[to];
  const written = write(entries);
  const messages: unknown = Reflect.get(written, list);
  // Fields beside the messages belong to one format; another would not understand them.
  const beside = to === format ? fields : {};
  const isWhole = facts || shape === "request" || Object.keys(written).length > 1;
  if (!isWhole && shape === "lines" && Array.isArray(messages)) {
    context.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  } else {
    const whole = isWhole ? { ...beside, ...written, ...facts } : messages;
    context.write(`${JSON.stringify(whole, undefined, 2)}\n`);
  }
  if (said.length > 0) context.tell(wrapProse(context, said));
}

/** Returns the rules of the API that `--for` and `--host` name; `undefined` without `--for`. */
export function targetOf({ for: api, host }: RuleOptions): TargetFormat | undefined {
  return api && messageCodecs[api].target?.(host);
}
