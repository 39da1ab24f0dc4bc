import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

import { chatServer } from "../test-support/chat-route.ts";
import { stores } from "../test-support/open-stores.ts";

const id = "chat-1";
const ask = (
  messageId: string,
  text: string,
): { readonly id: string; readonly message: UIMessage } => ({
  id,
  message: { id: messageId, role: "user", parts: [{ type: "text", text }] },
});
const textsOf = (messages: readonly UIMessage[]): readonly string[] =>
  messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join(""));

describe.each(Object.entries(stores))("a chat of the AI SDK in %s", (_, start) => {
  it("outlives restarts, double sends, a broken stream, edits and regenerated answers", async () => {
    const { open, close } = await start();
    try {
      // Each request is answered by another process.
      const server = () => chatServer(open());
      let reads = 0;
      let release: () => void = () => undefined;
      const bothHaveRead = new Promise<void>((resolve) => (release = resolve));
      const loaded = async (): Promise<void> => {
        reads += 1;
        if (reads === 2) release();
        await bothHaveRead;
      };
      const twice = [0, 1].map(() => chatServer(open(), loaded).post(ask("u1", "Hello.")));
      expect((await Promise.all(twice)).toSorted((left, right) => left - right)).toEqual([
        200, 409,
      ]);
      expect(await server().post(ask("u2", "break it"))).toBe(200);

      const broken = await server().chats.loadChat(id);
      expect(textsOf(broken.messages)).toEqual([
        "Hello.",
        "I was told 1 messages.",
        "break it",
        "I was told 3 messages",
      ]);
      // The question is edited, and its answer asked for once more.
      expect(await server().post({ ...ask("u2", "And now?"), messageId: "u2" })).toBe(200);
      const edited = await server().chats.loadChat(id);
      expect(textsOf(edited.messages)).toEqual([
        "Hello.",
        "I was told 1 messages.",
        "And now?",
        "I was told 3 messages.",
      ]);
      expect(edited.plan?.totalTokens).toBeGreaterThan(0);
      expect(await server().post({ id, messageId: edited.messages[3]?.id })).toBe(200);

      const { messages, branch } = await server().chats.loadChat(id);
      expect(textsOf(messages)).toEqual(textsOf(edited.messages));
      expect(messages[3]?.id).not.toBe(edited.messages[3]?.id);
      const branches = await server().chats.branches(id);
      expect(branches).toHaveLength(3);
      expect(branches.at(-1)?.branch).toBe(branch);
      const first = await server().chats.loadChat(id, { branch: "" });
      expect(first.messages).toEqual(broken.messages);
    } finally {
      await close();
    }
  });

  it("resumes an answer whose stream broke, and a question whose process died, in another process", async () => {
    const { open, close } = await start();
    try {
      const server = () => chatServer(open());
      await server().post(ask("u1", "Hello."));
      await server().post(ask("u2", "break it"));
      const broken = await server().chats.loadChat(id);

      // The stream is taken up: what came of the answer is replaced by the whole, under its id.
      const last = broken.messages.at(-1);
      const answer: UIMessage = {
        id: last?.id ?? "",
        role: "assistant",
        parts: [{ type: "text", text: "The whole." }],
      };
      const whole = [...broken.messages.slice(0, -1), answer];
      const { revision } = await server().chats.saveChat({
        chatId: id,
        messages: whole,
        revision: broken.revision,
      });
      expect((await server().chats.loadChat(id)).messages).toEqual(whole);

      // A process saves the next question and ends; another one answers it.
      const asked = [...whole, ask("u3", "And now?").message];
      await server().chats.saveChat({ chatId: id, messages: asked, revision });
      expect(await server().post({ id })).toBe(200);
      const resumed = await server().chats.loadChat(id);
      expect(resumed.messages.slice(0, -1)).toEqual(asked);
      expect(textsOf(resumed.messages).at(-1)).toBe("I was told 5 messages.");

      await server().chats.selectBranch(id, "");
      expect((await server().chats.loadChat(id)).messages).toEqual(broken.messages);
      expect(last?.parts.at(-1)).toMatchObject({ text: "I was told 3 messages" });
    } finally {
      await close();
    }
  });
});
