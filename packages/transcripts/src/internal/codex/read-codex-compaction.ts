import { isJsonObject, textOf } from "@agent-history/format-kit";

import type { TranscriptItem } from "../../transcript-item.ts";
import { nextOrigin } from "./codex-state.ts";
import type { CodexLine, CodexState } from "./codex-state.ts";
import { closeCodexAnswer, codexText, isCodexRequest } from "./read-codex-item.ts";

/** Reads a compaction: its summary is the message that Codex wrote, if any, and the requests that it kept. */
export function readCodexCompaction(
  state: CodexState,
  { payload, number, atMs }: CodexLine,
): readonly TranscriptItem[] {
  const closed = closeCodexAnswer(state);
  const replaced = payload["replacement_history"];
  const items = Array.isArray(replaced) ? replaced.filter(isJsonObject) : [];
  const message = textOf(payload["message"]) ?? "";
  const requests = items.filter((item) => item["role"] === "user" && isCodexRequest(item));
  const content = [message, ...requests.map(codexText)].filter(Boolean).join("\n\n");
  const origin = nextOrigin(state, number, true);
  const summary = state.withEntries ? state.writer.summarize({ content, atMs }, origin) : undefined;
  const isEncrypted = message === "" || items.some((item) => "encrypted_content" in item);
  const item: TranscriptItem = { kind: "compaction", line: number, how: "summary", atMs };
  return [
    ...closed,
    isEncrypted ? { ...item, isEncrypted } : item,
    ...(summary === undefined ? [] : [summary]),
  ];
}
