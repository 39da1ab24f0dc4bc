import type { HistoryEntry } from "@agent-history/core";

import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";
import type { MessageFile } from "./read-messages.ts";

/** How messages are written. */
export interface WriteMessagesOptions {
  /** Default: the format that they came in. */
  readonly to?: FileFormat | undefined;
  /** Facts to print beside the messages: makes the output an object. */
  readonly facts?: object | undefined;
}

/** Writes entries as the messages of a file, in its shape: a list, lines, or the request with its other fields. */
export function writeMessages(
  { format, shape, fields }: MessageFile,
  entries: readonly HistoryEntry[],
  { to = format, facts }: WriteMessagesOptions = {},
): string {
  const { list, write } = messageCodecs[to];
  const written = write(entries);
  const messages: unknown = Reflect.get(written, list);
  // What stands beside the messages in one format is not known to another.
  const beside = to === format ? fields : {};
  const isWhole = shape === "request" || Object.keys(written).length > 1;
  if (facts !== undefined || isWhole) return documentText({ ...beside, ...written, ...facts });
  if (shape === "lines" && Array.isArray(messages)) {
    return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  }
  return documentText(messages);
}

function documentText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
