import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, parseJson } from "@agent-history/format-kit";

/** A file of recorded chats: messages with `role`, `content`, `tool_calls` and `tool_call_id`. */
export interface RecordedChats {
  readonly name: string;
  /** Reads the chats; missing where they are not available, and their tests are skipped. */
  readonly chats?: () => readonly (readonly JsonObject[])[];
}

/**
 * Names files of recorded chats, one JSON object with `messages` in each line.
 *
 * @param folder - Where the files are; `undefined` skips their tests.
 */
export function recordedChats(
  folder: string | undefined,
  files: readonly string[],
): readonly RecordedChats[] {
  return files.map((name) =>
    folder === undefined ? { name } : { name, chats: () => readChats(join(folder, name)) },
  );
}

function readChats(file: string): readonly (readonly JsonObject[])[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => messagesOf(parseJson(line)));
}

function messagesOf(conversation: JsonValue | undefined): readonly JsonObject[] {
  const messages = isJsonObject(conversation) ? conversation["messages"] : undefined;
  return Array.isArray(messages) ? messages.filter((one: JsonValue) => isJsonObject(one)) : [];
}
