import { chatStore } from "@agent-history/ai-sdk";
import { assistantMessage, userMessage } from "@agent-history/core";
import type { BeforeStore } from "@agent-history/core";
import { memoryDriver, memoryStore, threadStore } from "@agent-history/store-kit";
import type { MemoryThreads } from "@agent-history/store-kit";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

import { createHistory } from "./create-history.ts";

const SECRET = "hunter2";

/** Takes a secret out of any JSON. */
function masked<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  return text.includes(SECRET) ? JSON.parse(text.replaceAll(SECRET, "[PASSWORD]")) : value;
}

const beforeStore: BeforeStore = (entry) => masked(entry);

describe("beforeStore", () => {
  it("of a store: changes what is appended, replaced and summarized, in order; a retry is one", async () => {
    const threads: MemoryThreads = new Map();
    const about = async () => ({ kind: "memory", durability: "none", details: {} });
    const store = threadStore(memoryDriver(threads), {
      scope: "test",
      system: "memory",
      describe: about,
      // The first takes longer.
      beforeStore: async (entry) => {
        if (entry.id === "m0") await new Promise((resolve) => setTimeout(resolve, 5));
        return masked(entry);
      },
    });
    const message = (id: string) => userMessage({ id, content: `${id} ${SECRET}`, createdAtMs: 1 });
    const batches = Array.from({ length: 5 }, (_, nth) => [message(`m${nth}`)]);
    await Promise.all(batches.map(async (batch) => store.append("t", batch)));
    const { entries } = await store.read("t");
    expect(entries.map((entry) => "content" in entry && entry.content)).toEqual(
      batches.map((_, nth) => `m${nth} [PASSWORD]`),
    );
    expect((await store.append("t", batches[0] ?? [])).duplicate).toBe(true);
    const edit = { from: "m4", expectedVersion: "any", operationId: "o" } as const;
    await store.replaceSuffix("t", { ...edit, replacement: [message("new")] });
    const text = JSON.stringify([...threads], (_, value: unknown) =>
      value instanceof Map ? [...value] : value,
    );
    expect(text).not.toContain(SECRET);
    expect(text).toContain("[PASSWORD]");
  });

  it("of a store: what throws, or changes ids, writes nothing and says so", async () => {
    const wrongs: readonly BeforeStore[] = [
      () => {
        throw new Error(SECRET);
      },
      (entry) => ({ ...entry, id: "other" }),
    ];
    for (const wrong of wrongs) {
      const store = memoryStore({ beforeStore: wrong });
      const failed: unknown = await store
        .append("t", [userMessage({ content: "a" })])
        .catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: "STEP_FAILED", details: { step: "beforeStore" } });
      expect((await store.list()).threads).toEqual([]);
    }
  });

  it("of createHistory: prompts and what is stored have the same; a synced conversation is known again", async () => {
    const store = memoryStore();
    const options = { store, threadId: "t", model: "gpt-5", beforeStore } as const;
    const history = createHistory(options);
    await history.addUserMessage({ content: `My password is ${SECRET}.` });
    await history.append([assistantMessage({ content: `It is ${SECRET}.` })]);
    const call = await history.historyForModelCall({ systemMessage: "Be brief." });
    expect(JSON.stringify(call)).not.toContain(SECRET);
    expect(JSON.stringify(call)).toContain("[PASSWORD]");
    expect(JSON.stringify((await store.read("t")).entries)).not.toContain(SECRET);
    const synced = createHistory({ ...options, threadId: "s" });
    const said = [
      userMessage({ id: "u", content: SECRET }),
      assistantMessage({ id: "a", content: SECRET }),
    ];
    await synced.sync(said);
    await synced.sync([...said, userMessage({ id: "u2", content: "More." })]);
    const stored = await store.read("s");
    expect(stored.entries.map(({ id }) => id)).toEqual(["u", "a", "u2"]);
    expect(stored.version).toBe(3);
    expect(JSON.stringify(stored.entries)).not.toContain(SECRET);
  });

  it("of createHistory: sources of results are changed, too", async () => {
    const store = memoryStore();
    const history = createHistory({ store, threadId: "t", model: "gpt-5", beforeStore });
    await history.addUserMessage({ content: "Find it." });
    await history.addToolCalls({ toolCalls: [{ id: "c", name: "find", arguments: SECRET }] });
    const sources = [{ id: `doc/${SECRET}`, text: SECRET, title: SECRET }];
    await history.addToolCallResults([{ callId: "c", toolName: "find", content: SECRET, sources }]);
    const { entries } = await store.read("t");
    expect(entries.at(-1)).toMatchObject({
      sources: [{ id: "doc/[PASSWORD]", number: 1, text: "[PASSWORD]" }],
    });
    expect((await history.citedSources("[source1]")).map(({ id }) => id)).toEqual([
      "doc/[PASSWORD]",
    ]);
    expect(JSON.stringify([entries, await store.listState("t")])).not.toContain(SECRET);
  });

  it("of a chat: the same chat, saved again, goes on where it was", async () => {
    const chats = chatStore(memoryStore(), {
      beforeStore: (message: UIMessage) => masked(message),
    });
    const first: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: SECRET }] };
    const answer: UIMessage = {
      id: "a1",
      role: "assistant",
      parts: [{ type: "text", text: "Hm." }],
    };
    await chats.saveChat({ chatId: "c", messages: [first] });
    await chats.saveChat({ chatId: "c", messages: [first, answer] });
    const chat = await chats.loadChat("c");
    expect(JSON.stringify(chat.messages)).not.toContain(SECRET);
    expect(chat.messages).toHaveLength(2);
    expect(await chats.branches("c")).toHaveLength(1);
  });
});
