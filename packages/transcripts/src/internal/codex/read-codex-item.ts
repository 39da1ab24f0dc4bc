import type { JsonObject } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";

import type { TranscriptItem } from "../../transcript-item.ts";
import { isRequestText, requestTitle } from "../is-request-text.ts";
import { codexTurn, nextOrigin, writeItems } from "./codex-state.ts";
import type { CodexLine, CodexState } from "./codex-state.ts";

/** Reads an item of the Responses API: of a message to the model, of its answer, or of a result. */
export function readCodexItem(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  const { type, role } = line.payload;
  const kind = textOf(type) ?? "";
  if (kind.endsWith("_output")) return readResult(state, line);
  const isAnswer = kind === "message" ? role === "assistant" : kind !== "";
  return isAnswer ? readAnswer(state, line) : readMessage(state, line);
}

/** Items are one answer until it was counted, or a result came. */
function readAnswer(state: CodexState, line: CodexLine): readonly TranscriptItem[] {
  const { payload, number, atMs } = line;
  const { open } = state;
  if (open !== undefined && !open.isCounted && open.results.length === 0) {
    open.items.push(payload);
    return [];
  }
  const closed = closeCodexAnswer(state);
  state.open = {
    items: [payload],
    results: [],
    atMs,
    askedAtMs: state.askedAtMs,
    turnId: codexTurn(state),
    origin: nextOrigin(state, number),
    isCounted: false,
  };
  return closed;
}

function readResult(
  state: CodexState,
  { payload, number, atMs }: CodexLine,
): readonly TranscriptItem[] {
  state.askedAtMs = atMs;
  const origin = nextOrigin(state, number);
  const result = { items: [payload], atMs, turnId: codexTurn(state), origin };
  if (state.open === undefined) return writeItems(state, result);
  state.open.results.push(result);
  return [];
}

function readMessage(
  state: CodexState,
  { payload, number, atMs }: CodexLine,
): readonly TranscriptItem[] {
  state.askedAtMs = atMs;
  const isUser = payload["role"] === "user";
  const isMeta = isUser && !isCodexRequest(payload);
  const begins = isUser && !isMeta;
  // Persons write while an answer runs; the usage of that answer is logged behind their message.
  const isEarly = state.open !== undefined && !state.open.isCounted;
  if (begins) state.turns += 1;
  const turnId = codexTurn(state);
  const origin = nextOrigin(state, number, isMeta);
  const message = { items: [payload], atMs, turnId, origin };
  const turn: readonly TranscriptItem[] =
    begins && turnId !== undefined
      ? [{ kind: "turn", line: number, turnId, atMs, ...requestTitle(requestText(payload)) }]
      : [];
  if (isEarly) {
    state.open?.results.push(message);
    return turn;
  }
  return [...closeCodexAnswer(state), ...turn, ...writeItems(state, message)];
}

/** Writes an answer and what came before its usage. */
export function closeCodexAnswer(state: CodexState): readonly TranscriptItem[] {
  const { open } = state;
  if (open === undefined) return [];
  state.open = undefined;
  return [open, ...open.results].flatMap((message) => writeItems(state, message));
}

/** Whether a person wrote a message: one of its parts, or all of it where it has no text. */
export function isCodexRequest({ content }: JsonObject): boolean {
  if (typeof content === "string") return isRequestText(content);
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = parts.flatMap(({ text }) => textOf(text) ?? []);
  return texts.length === 0 ? parts.length > 0 : texts.some(isRequestText);
}

/** What of a message a person wrote. */
function requestText({ content }: JsonObject): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.flatMap(({ text }) => textOf(text) ?? []).find(isRequestText) ?? "";
}

/** The text of a message. */
export function codexText({ content }: JsonObject): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.flatMap(({ text }) => textOf(text) ?? []).join("\n");
}
