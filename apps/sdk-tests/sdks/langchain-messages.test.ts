import { fromMessages, messageHistory, toMessages, tokenCounter } from "@agent-history/langchain";
import { memoryStore } from "@agent-history/store-kit";
import { tiktokenCounter } from "@agent-history/tokens";
import type { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import {
  AIMessage,
  AIMessageChunk,
  coerceMessageLikeToMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from "@langchain/core/messages";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { describe, expect, it } from "vitest";

const counter = tiktokenCounter({ encoding: "o200k_base" });

/** One of each class, as agents have them. */
function conversation(): BaseMessage[] {
  const call = { id: "c1", name: "find", args: { to: "Rome" }, type: "tool_call" as const };
  const pieces = [{ ...call, args: '{"to":"Rome"}', index: 0, type: "tool_call_chunk" as const }];
  return [
    new SystemMessage("You book flights."),
    new HumanMessage({ content: "To Rome, please.", id: "h1", name: "ann" }),
    new AIMessage({ content: "I look.", tool_calls: [call], id: "a1" }),
    new ToolMessage({ content: "Two.", tool_call_id: "c1", name: "find", artifact: [1] }),
    new AIMessageChunk({ content: "Again.", tool_call_chunks: pieces, id: "a2" }),
    new ToolMessage({ content: "None.", tool_call_id: "c1", status: "error" }),
    new AIMessage({ content: [{ type: "text", text: "No flight." }] }),
  ];
}

describe("LangChain's message classes", () => {
  it("read as entries, and come back as the same objects", () => {
    const messages = conversation();
    const entries = fromMessages(messages);

    expect(entries.map(({ type }) => type)).toEqual([
      "system_message",
      "user_message",
      "action",
      "observation",
      "action",
      "observation",
      "assistant_message",
    ]);
    for (const [index, message] of toMessages(entries).entries()) {
      expect(message).toBe(messages[index]);
    }
    expect(fromMessages(messages).every((entry, index) => entry === entries[index])).toBe(true);
  });

  it("come back from stored entries with all that LangChain stores of them", () => {
    const messages = conversation().filter((message) => !(message instanceof AIMessageChunk));
    const stored = JSON.parse(JSON.stringify(fromMessages(messages)));
    const toMessage = (fields: BaseMessageLike) => coerceMessageLikeToMessage(fields);

    expect(toMessages(stored, { toMessage }).map((message) => message.toDict())).toEqual(
      messages.map((message) => message.toDict()),
    );
    const bare: BaseMessageLike[] = toMessages(stored);
    expect(bare.map((message) => coerceMessageLikeToMessage(message).toDict())).toEqual(
      messages.map((message) => message.toDict()),
    );
  });

  it("of a changed entry are made anew, by the class that they were of", () => {
    const messages = conversation();
    const changed = fromMessages(messages).map((entry) => {
      if (entry.type === "action") {
        return {
          ...entry,
          toolCalls: entry.toolCalls.map((call) => ({ ...call, arguments: "{}" })),
        };
      }
      return entry.type === "observation" ? { ...entry, content: "Gone." } : entry;
    });
    const written: BaseMessage[] = toMessages(changed, {});

    expect(written[2]).toBeInstanceOf(AIMessage);
    expect(written[4]).toMatchObject({ id: "a2", tool_calls: [{ id: "c1", args: {} }] });
    expect(written[3]).toMatchObject({ content: "Gone.", name: "find", artifact: [1] });
    expect(written[3]).toBeInstanceOf(ToolMessage);
    expect(messages[3]?.content).toBe("Two.");
  });

  it("are counted by trimMessages with our counter", async () => {
    const tokens = tokenCounter(counter)(conversation());
    const options = { strategy: "last", tokenCounter: tokenCounter(counter) } as const;

    expect(await trimMessages(conversation(), { ...options, maxTokens: tokens })).toHaveLength(7);
    expect((await trimMessages(conversation(), { ...options, maxTokens: tokens - 1 })).length).toBe(
      6,
    );
  });
});

describe("messageHistory with LangChain's RunnableWithMessageHistory", () => {
  it("keeps what is said from turn to turn, and begins anew once it is cleared", async () => {
    const store = memoryStore();
    const open = (sessionId: string): BaseListChatMessageHistory =>
      messageHistory(store, sessionId, { toMessage: coerceMessageLikeToMessage });
    const model = RunnableLambda.from((messages: BaseMessage[]) => {
      return new AIMessage(`I was told ${messages.length}.`);
    });
    const chat = new RunnableWithMessageHistory({ runnable: model, getMessageHistory: open });
    const config = { configurable: { sessionId: "s1" } };
    for (const text of ["One.", "Two.", "Three."]) {
      await chat.invoke([new HumanMessage(text)], config);
    }

    const messages = await open("s1").getMessages();
    expect(messages.map(({ text }) => text)).toEqual([
      "One.",
      "I was told 1.",
      "Two.",
      "I was told 3.",
      "Three.",
      "I was told 5.",
    ]);
    expect(messages[1]).toBeInstanceOf(AIMessage);
    await open("s1").clear();
    expect(await open("s1").getMessages()).toEqual([]);
    await open("s1").addMessages(messages.slice(0, 2));
    expect(await open("s1").getMessages()).toHaveLength(2);
  });
});
