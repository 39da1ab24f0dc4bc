import { readFileSync } from "node:fs";

import type { JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./internal/is-json-object.ts";
import { parseJson } from "./internal/parse-json.ts";

/** The folder of recorded conversations; without it, the tests on them are skipped. */
export const recordedFolder: string | undefined = process.env["AGENT_HISTORY_DATA"];

/** The files of recorded OpenAI chats, in that folder. */
export const RECORDED_CHATS = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
] as const;

/** Reads the conversations of a file: JSON lines, each with its `messages`. */
export function recordedConversations(file: string): readonly (readonly JsonObject[])[] {
  const lines = readFileSync(`${recordedFolder}/${file}`, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => messagesOf(parseJson(line)));
}

function messagesOf(conversation: JsonValue | undefined): readonly JsonObject[] {
  const messages = isJsonObject(conversation) ? conversation["messages"] : undefined;
  return Array.isArray(messages) ? messages.filter((one: JsonValue) => isJsonObject(one)) : [];
}
