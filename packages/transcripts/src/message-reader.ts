import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { countedIds, isJsonObject, textOf } from "@agent-history/format-kit";

import { entryText } from "./entry-text.ts";
import { lineReader } from "./internal/line-reader.ts";
import { linearLog } from "./internal/linear-log.ts";
import type { LinearLog } from "./internal/linear-log.ts";
import { messageFormats } from "./internal/message-formats.ts";
import type { MessageFormat } from "./internal/message-formats.ts";
import { timeOf } from "./internal/time-of.ts";
import type { TranscriptItem } from "./transcript-item.ts";
import type { TranscriptReader, TranscriptReaderOptions } from "./transcript-reader.ts";

/**
 * Reads plain messages, one on each line, or requests with their messages: of OpenAI's Chat Completions (`chat`) and Responses (`responses`), of Anthropic, of the AI SDK (model and UI messages), and our own
 * `entries`, also as a thread that `exportThread` wrote. Messages say nothing of usage: there are no calls, so tokens are counted once and no cache is explained.
 *
 * @example
 * ```ts
 * import { messageReader } from "@agent-history/transcripts";
 *
 * const reader = messageReader("chat");
 * reader.read('{"role":"user","content":"Run the tests."}').map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function messageReader(
  format: MessageFormat,
  { entries = true }: TranscriptReaderOptions = {},
): TranscriptReader {
  const log = linearLog(entries);
  return lineReader({
    read: (object, number) => {
      const list = object[messageFormats[format].list];
      const messages = Array.isArray(list) ? list.filter(isJsonObject) : [object];
      return [systemOf(object), ...messages].flatMap((message) =>
        message === undefined ? [] : readMessage(log, format, message, number),
      );
    },
    end: () => [],
  });
}

/** The system prompt of a request, which stands beside its messages. */
function systemOf({ system, instructions }: JsonObject): JsonObject | undefined {
  const content = textOf(system) ?? textOf(instructions);
  return content === undefined ? undefined : { role: "system", content };
}

function readMessage(
  log: LinearLog,
  format: MessageFormat,
  message: JsonObject,
  number: number,
): readonly TranscriptItem[] {
  // A summary in an exported thread stands beside the entries that it covers.
  if (format === "entries" && message["kind"] === "summary") {
    return [{ kind: "compaction", line: number, how: "summary" }];
  }
  const { toEntries } =
    messageFormats[message["role"] === "system" && format === "anthropic" ? "chat" : format];
  const atMs = timeOf(message["createdAtMs"] ?? message["createdAt"] ?? message["timestamp"]) ?? 0;
  const origin = log.locate(number);
  const named = toEntries(message, { newId: countedIds(origin.node), now: () => atMs });
  // Results stand in a user's message where a provider has no role for them.
  const request = named.find(({ type }) => type === "user_message" || type === "task");
  const turn = request ? [log.turn(number, atMs, entryText(request))] : [];
  const turnId = log.turnId();
  const inTurn = (entry: HistoryEntry): HistoryEntry =>
    turnId === undefined || entry.turnId !== undefined || entry.type === "system_message"
      ? entry
      : { ...entry, turnId };
  return [...turn, ...log.write(named.map(inTurn), origin)];
}
