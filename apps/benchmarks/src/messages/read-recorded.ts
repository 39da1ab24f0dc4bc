import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { ChatMessage } from "./chat-message.ts";

const FILES = [
  "tau-bench/airline-gpt-4o.jsonl",
  "tau-bench/airline-gpt-4o.derived-parallel.jsonl",
  "swe-agent/swe-agent-mit.jsonl",
];

/** Reads recorded conversations, one on a line, `{ messages }` in OpenAI's chat format. */
export function readRecorded(folder: string): readonly (readonly ChatMessage[])[] {
  return FILES.flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line): readonly ChatMessage[] => JSON.parse(line).messages),
  );
}

/** The points of a conversation at which a model was called: after each user message and after the last result of each round. */
export function callPoints(messages: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  return messages.flatMap(({ role }, index) => {
    const next = messages[index + 1];
    const isPoint = role === "user" || (role === "tool" && next?.role !== "tool");
    return isPoint ? [messages.slice(0, index + 1)] : [];
  });
}
