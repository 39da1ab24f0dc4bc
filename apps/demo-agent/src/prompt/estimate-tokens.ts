import type { HistoryEntry } from "@agent-history/core";

import { entryText } from "./entry-text.ts";

const BYTES_PER_TOKEN = 4;

const encoder = new TextEncoder();

/** Estimates the tokens of entries as a prompt shows them: UTF-8 bytes by four. A count comes with the package `tokens`. */
export function estimateTokens(entries: readonly HistoryEntry[]): number {
  return Math.ceil(entries.reduce((bytes, entry) => bytes + sizeBytes(entry), 0) / BYTES_PER_TOKEN);
}

function sizeBytes(entry: HistoryEntry): number {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const text = [entryText(entry), ...calls.flatMap((call) => [call.name, call.arguments])].join("");
  return encoder.encode(text).length;
}
