import { existsSync } from "node:fs";

import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { transcriptLines } from "@agent-history/transcripts/node";

import { jsonText } from "../cli-context.ts";
import type { Answer, CliContext } from "../cli-context.ts";
import { findSessions } from "../sessions.ts";
import type { FileFormat } from "./file-formats.ts";
import { messageCodecs } from "./message-codecs.ts";
import type { MessageFile } from "./read-messages.ts";

/** Reads a file (also `.gz`), the session with this id, or standard input, which has no path. */
export async function inputOf(
  context: CliContext,
  given = "-",
): Promise<{ readonly path: string | undefined; readonly text: string }> {
  if (given === "-") return { path: undefined, text: await context.readInput() };
  const isFile = existsSync(given);
  const [session] = isFile ? [] : await findSessions(context, {}, given);
  const path = session?.files[0]?.path ?? given;
  try {
    const lines: string[] = [];
    for await (const line of transcriptLines(path)) lines.push(line);
    return { path, text: lines.join("\n") };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const details = { option: "file" };
    throw new HistoryError(`Cannot read ${path}: ${reason}`, { code: "NOT_FOUND", details, cause });
  }
}

/** Returns entries in the shape of their file (a list, lines, or the request with its other fields); in JSON with `facts` beside them. */
export function messagesAnswer(
  { format, shape, fields }: MessageFile,
  entries: readonly HistoryEntry[],
  { to = format, facts }: { readonly to?: FileFormat; readonly facts: object },
): Answer {
  const { list, write } = messageCodecs[to];
  const written = write(entries);
  // Fields beside the messages belong to one format; another would not understand them.
  const request = { ...(to === format && fields), ...written };
  const messages: unknown = Reflect.get(written, list);
  const isRequest = shape === "request" || Object.keys(written).length > 1;
  const isLines = !isRequest && shape === "lines" && Array.isArray(messages);
  return {
    json: { ...request, ...facts },
    screen: () =>
      isLines
        ? [messages.map((message) => `${JSON.stringify(message)}\n`).join("")]
        : [jsonText(isRequest ? request : messages)],
  };
}
