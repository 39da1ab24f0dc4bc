import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { chatStore, fromModelMessages, fromUIMessages } from "./index.ts";

describe("what is no list of messages", () => {
  it.each([
    ["a single text", "To Rome, please."],
    ["a request", { messages: [] }],
    ["nothing", undefined],
  ])("is refused, and never read as none or letter by letter: %s", async (_, given) => {
    const messages = given as never;
    const refused = expect.objectContaining({
      code: "INVALID_OPTION",
      details: { option: "messages" },
    });

    expect(() => fromModelMessages(messages)).toThrow(refused);
    await expect(fromUIMessages(messages)).rejects.toThrow(refused);
    const saved = chatStore(memoryStore()).saveChat({ chatId: "c1", messages });
    await expect(saved).rejects.toThrow(refused);
  });
});
