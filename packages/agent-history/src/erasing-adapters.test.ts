import { chatStore } from "@agent-history/ai-sdk";
import { claudeSessionStore, memoryToolHandlers } from "@agent-history/anthropic";
import { messageHistory } from "@agent-history/langchain";
import { historySession } from "@agent-history/openai-agents";
import { memoryDriver, threadStore } from "@agent-history/store-kit";
import type { MemoryThreads, ThreadStore } from "@agent-history/store-kit";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

/** What must go, wherever it was written. */
const MARKER = "Zoraya-Quillfeather";
/** What must stay. */
const OTHER = "Bob-of-Elsewhere";

/** A store, and how often a text lies in what it keeps: names, rows, items, heads. */
function openStore(): { readonly store: ThreadStore; readonly found: (text: string) => number } {
  const threads: MemoryThreads = new Map();
  const about = async () => ({ kind: "memory", durability: "none", details: {} });
  const store = threadStore(memoryDriver(threads), {
    scope: "test",
    system: "memory",
    describe: about,
  });
  const asJson = (_: string, value: unknown): unknown =>
    value instanceof Map ? [...value] : value;
  const found = (text: string): number =>
    JSON.stringify([...threads], asJson).split(text).length - 1;
  return { store, found };
}

describe("what adapters delete", () => {
  it("of a chat: every branch, edited, answered again or left, with its plan and title; nobody else's", async () => {
    const { store, found } = openStore();
    const chats = chatStore(store);
    const message = (id: string, role: "user" | "assistant", text: string): UIMessage => ({
      id,
      role,
      parts: [{ type: "text", text }],
    });
    const live = async (chatId: string, name: string): Promise<void> => {
      const first = message("u1", "user", `I am ${name}.`);
      const answer = message("a1", "assistant", `Hello ${name}.`);
      await store.setMetadata(chatId, { user: name, title: `I am ${name}` });
      await chats.saveChat({ chatId, messages: [first, answer] });
      // Answered again, then the first message is edited, then the chat goes back to where it was.
      await chats.saveChat({ chatId, messages: [first, message("a2", "assistant", name)] });
      await chats.saveChat({ chatId, messages: [message("u2", "user", `${name} again`)] });
      await chats.selectBranch(chatId, "");
    };
    await live("of bob", OTHER);
    await live(`chat of ${MARKER}`, MARKER);
    await live("second", MARKER);
    const { threads } = await store.list({ user: MARKER });
    expect(threads.filter(({ isFork }) => isFork !== true)).toHaveLength(2);
    expect(threads.map(({ title }) => title)).toEqual(threads.map(() => `I am ${MARKER}`));
    const kept = found(OTHER);
    expect((await chats.deleteChat(`chat of ${MARKER}`)).threads).toBe(3);
    await store.eraseUser(MARKER);
    expect([found(MARKER), found(OTHER)]).toEqual([0, kept]);
    const chat = await chats.loadChat("of bob");
    expect(chat.messages.map(({ id }) => id)).toEqual(["u1", "a1"]);
  });

  it("of an agent's session: clearSession; new items follow", async () => {
    const { store, found } = openStore();
    const other = historySession({ store, threadId: "other" });
    await other.addItems([{ role: "user", content: `I am ${OTHER}.` }]);
    const session = historySession({ store, threadId: "session" });
    await session.addItems([
      { role: "user", content: `I am ${MARKER}.` },
      { type: "function_call", callId: "c", name: "find", arguments: `{"name":"${MARKER}"}` },
      {
        type: "function_call_result",
        callId: "c",
        name: "find",
        status: "completed",
        output: MARKER,
      },
    ]);
    await session.popItem();
    await session.clearSession();
    expect([found(MARKER), found(OTHER)]).toEqual([0, 1]);
    await session.addItems([{ role: "user", content: "Hello." }]);
    expect(await session.getItems()).toEqual([{ role: "user", content: "Hello." }]);
  });

  it("of LangChain's messages: clear; new messages follow", async () => {
    const { store, found } = openStore();
    const toMessage = (message: object): object => message;
    await messageHistory(store, "other", { toMessage }).addUserMessage(OTHER);
    const kept = found(OTHER);
    const history = messageHistory(store, "thread", { toMessage });
    await history.addUserMessage(`I am ${MARKER}.`);
    await history.addAIMessage(`Hello ${MARKER}.`);
    await history.clear();
    expect([found(MARKER), found(OTHER)]).toEqual([0, kept]);
    await history.addUserMessage("Hello.");
    expect(await history.getMessages()).toHaveLength(1);
  });

  it("of a Claude session: its transcript and those of its subagents", async () => {
    const { store, found } = openStore();
    const sessions = claudeSessionStore(store);
    const line = (uuid: string, text: string) => ({ type: "user", uuid, message: text });
    const bob = { projectKey: "shop", sessionId: "bob" };
    await sessions.append(bob, [line("u1", OTHER)]);
    const session = { projectKey: "shop", sessionId: MARKER };
    await sessions.append(session, [line("u1", MARKER)]);
    await sessions.append({ ...session, subpath: "subagents/a" }, [line("u2", MARKER)]);
    await sessions.delete(session);
    expect([found(MARKER), found(OTHER)]).toEqual([0, 1]);
    expect(await sessions.load(session)).toBeNull();
    expect(await sessions.load(bob)).toHaveLength(1);
  });

  it("of the memory tool: files and folders, by name and content", async () => {
    const { store, found } = openStore();
    const memory = memoryToolHandlers({ store, threadId: "memory" });
    const write = async (path: string, text: string): Promise<string> =>
      memory.create({ path: `/memories/${path}`, file_text: text });
    await write("bob.md", OTHER);
    await write(`${MARKER}.md`, `${MARKER} likes tea.`);
    await write(`people/${MARKER}/a.md`, MARKER);
    await memory.rename({
      old_path: `/memories/people/${MARKER}`,
      new_path: `/memories/people/${MARKER}-2`,
    });
    await memory.delete({ path: `/memories/${MARKER}.md` });
    await memory.delete({ path: "/memories/people" });
    expect([found(MARKER), found(OTHER)]).toEqual([0, 1]);
    expect(await memory.view({ path: "/memories/bob.md" })).toContain(OTHER);
  });
});
