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

/** Reads the file, or standard input. */
export async function messageFileOf(
  { readInput, tell }: CliContext,
  path: string | undefined,
  { from }: MessageOptions,
): Promise<MessageFile> {
  const text = path === undefined || path === "-" ? await readInput() : await textOf(path);
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
export function invalidOption(option: string, message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option } });
}
