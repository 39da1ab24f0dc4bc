import { observation } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chatPage } from "../test-chats/pages/chat-page.ts";
import { chatLog } from "./chat-log.ts";
import type { ChatMessageLike } from "./chat-message.ts";
import { fromChatMessages } from "./from-chat-messages.ts";

const chat = chatPage.map((message) => ({ role: "", ...message }));
const now = (): number => 0;

describe("chatLog", () => {
  it("gives the entries of the whole chat, however it is appended", () => {
    for (const size of [1, 3, chat.length]) {
      const log = chatLog({ now });
      const appended = [];
      for (let from = 0; from < chat.length; from += size) {
        appended.push(...log.append(chat.slice(from, from + size)));
      }

      expect(log.entries).toEqual(fromChatMessages(chat, { now }));
      expect(appended).toEqual(log.entries);
    }
  });

  it("reads no message again, and gives back the same message objects", () => {
    let reads = 0;
    const messages = Array.from({ length: 5 }, (): ChatMessageLike => ({
      role: "user",
      get content() {
        reads += 1;
        return "To Rome.";
      },
    }));
    const log = chatLog();
    log.append(messages);
    const readsBefore = reads;
    log.append([{ role: "assistant", content: "Two flights." }]);

    for (const [index, message] of log.toMessages(log.entries).slice(0, 5).entries()) {
      expect(message).toBe(messages[index]);
    }
    expect(reads).toBe(readsBefore);
  });

  it("writes an entry that was changed since, and one that came from elsewhere", () => {
    const log = chatLog();
    log.append([{ role: "user", content: "To Rome." }]);
    const changed = log.entries.map((entry) => ({ ...entry, id: "other" }));
    const source = { kind: "url", url: "https://a.example/p.png" } as const;
    const content = [{ type: "image", source }] as const;
    const result = observation({ callId: "c1", toolName: "look", outcome: "success", content });

    expect(log.toMessages([...changed, result]).map(({ role }) => role)).toEqual([
      "user",
      "tool",
      "user",
    ]);
  });
});
