import { HistoryError } from "@agent-history/core";

import type { CliContext } from "../cli-context.ts";
import { FILE_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { readMessages } from "./read-messages.ts";
import type { MessageFile } from "./read-messages.ts";
import { textOf } from "./read-text.ts";

/** The options of every command that reads messages, as they are typed. */
export interface MessageOptions {
  readonly json?: true;
  readonly from?: string;
  readonly to?: string;
}

/** Reads the messages of a file, or of standard input. */
export async function messageFileOf(
  context: CliContext,
  path: string | undefined,
  options: MessageOptions,
): Promise<MessageFile> {
  return messageFileIn(context, await inputText(context, path), options);
}

/** Reads a file, or standard input. */
export async function inputText(
  { readInput }: CliContext,
  path: string | undefined,
): Promise<string> {
  return path === undefined || path === "-" ? readInput() : textOf(path);
}

/** Reads the messages in a text. */
export async function messageFileIn(
  { tell }: CliContext,
  text: string,
  { from }: MessageOptions,
): Promise<MessageFile> {
  const file = await readMessages(text, formatOption("from", from));
  if (file.damagedLines > 0) tell(`Left out ${file.damagedLines} damaged lines.\n`);
  return file;
}

/** Reads `--from` and `--to`. */
export function formatOption(
  option: "from" | "to",
  name: string | undefined,
): FileFormat | undefined {
  const format = FILE_FORMATS.find((known) => known === name);
  if (name === undefined || format !== undefined) return format;
  throw invalidOption(
    option,
    `Expected --${option} to be ${FILE_FORMATS.join(", ")}, got ${name}.`,
  );
}

/** An error about an option. */
export function invalidOption(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}
