import type { JsonObject } from "@agent-history/core";

import { question, REQUESTS_OF_TURN, scriptedModel, toolResult } from "../loops/scripted-model.ts";

/** A message of a chat. */
export type ChatMessage = JsonObject & { readonly role: string };

/** Gives a chat as it stands before each request to a model. */
export type GrowingChat = () => Generator<readonly ChatMessage[]>;

const system = { role: "system", content: "You book flights." };
const TURNS = 40;

/** Chats of 40 turns: one of questions and answers, and one with tool calls. */
export const growingChats: Readonly<Record<string, GrowingChat>> = {
  "a plain chat": plainChat,
  "a chat with tool calls": toolChat,
};

function* plainChat(): Generator<readonly ChatMessage[]> {
  const chat: ChatMessage[] = [system];
  for (let turn = 0; turn < TURNS; turn += 1) {
    chat.push({ role: "user", content: question(turn) });
    yield [...chat];
    const content = `Flight ${turn} leaves at nine. `.repeat(10 + ((turn * 7) % 40));
    chat.push({ role: "assistant", content });
  }
}

function* toolChat(): Generator<readonly ChatMessage[]> {
  const chat: ChatMessage[] = [system];
  for (let index = 0; index < TURNS * REQUESTS_OF_TURN; index += 1) {
    const turn = Math.floor(index / REQUESTS_OF_TURN);
    if (index % REQUESTS_OF_TURN === 0) chat.push({ role: "user", content: question(turn) });
    yield [...chat];
    const { text, calls = [] } = scriptedModel({}, index);
    const toolCalls = calls.map(({ id, ...called }) => ({
      id,
      type: "function",
      function: called,
    }));
    const says = { role: "assistant", content: text ?? null };
    chat.push(calls.length === 0 ? says : { ...says, tool_calls: toolCalls });
    for (const { id } of calls) {
      chat.push({ role: "tool", tool_call_id: id, content: toolResult(id) });
    }
  }
}
