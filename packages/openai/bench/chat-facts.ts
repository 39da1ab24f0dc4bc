import { isDeepStrictEqual } from "node:util";

import { get_encoding } from "tiktoken";

/** A recorded message. */
export interface RecordedMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly name?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function?: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

const encoding = get_encoding("o200k_base");
const known = new Map<string, number>();

/** Counts a chat by the rules of OpenAI's cookbook, with calls as a message within the message. */
export function chatTokens(messages: readonly object[]): number {
  return messages.reduce((sum: number, message) => sum + messageTokens(asRecorded(message)), 3);
}

function messageTokens({ role, content, name, tool_calls: calls = [] }: RecordedMessage): number {
  const named = name === undefined ? 0 : 1 + tokensOf(name);
  const called = calls.map(
    ({ function: made }) => 3 + tokensOf(made?.name ?? "") + tokensOf(made?.arguments ?? ""),
  );
  return called.reduce(
    (sum, tokens) => sum + tokens,
    3 + tokensOf(role) + tokensOf(content) + named,
  );
}

function tokensOf(text: unknown): number {
  if (typeof text !== "string") return 0;
  const tokens = known.get(text) ?? encoding.encode(text, [], []).length;
  known.set(text, tokens);
  return tokens;
}

/**
 * Minimum tokens of any fit: the system messages, the newest question and the running calls, with each result cut to at most one
 * line. A result is counted with its tool's name, recorded or not, because models are shown it.
 */
export function least(messages: readonly RecordedMessage[]): number {
  const systems = messages.filter(({ role }) => role === "system");
  const loop = messages.slice(messages.findLastIndex(({ role }) => role === "assistant"));
  const running = messages.at(-1)?.role === "tool" ? loop : [];
  const calls = running.flatMap(({ tool_calls: made = [] }) => made);
  const shrunk = running.map((message) => {
    if (message.role !== "tool") return message;
    const call = calls.find(({ id }) => id === message.tool_call_id);
    const name = message.name ?? call?.function?.name ?? "";
    const line = `[cleared: ${String(message.content).length} characters]`;
    const isShorter = tokensOf(line) < tokensOf(message.content);
    return { ...message, name, ...(isShorter && { content: line }) };
  });
  return chatTokens([...systems, ...newestQuestion(messages), ...shrunk]);
}

/** Returns the newest user message, if any. */
export function newestQuestion(messages: readonly RecordedMessage[]): readonly RecordedMessage[] {
  const question = messages.findLast(({ role }) => role === "user");
  return question === undefined ? [] : [question];
}

/** Returns whether two messages are deeply equal. */
export function sayTheSame(one: object, other: object): boolean {
  return isDeepStrictEqual(one, other);
}

function asRecorded(message: object): RecordedMessage {
  return { role: "", ...message };
}
