import { HistoryError } from "@agent-history/core";
import type { HistoryStore, ReductionPlan } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

import { uiMessages } from "../test-support/ui-messages.ts";
import { chatStore } from "./chat-store.ts";

const user = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});
const answer = (id: string, text: string): UIMessage => ({
  id,
  role: "assistant",
  parts: [{ type: "step-start" }, { type: "text", text }],
});
const chatId = "chat-1";
const first = [user("u1", "To Rome?"), answer("a1", "Two flights."), user("u2", "When?")];
const plan = { version: 1, totalTokens: 5 } as unknown as ReductionPlan;

describe("chatStore", () => {
  it("loads what was saved, and writes only what is new", async () => {
    const store = memoryStore();
    const written: number[] = [];
    const chats = chatStore({
      ...store,
      append: (threadId, entries, options) => {
        written.push(entries.length);
        return store.append(threadId, entries, options);
      },
    });
    expect(await chats.loadChat(chatId)).toMatchObject({ messages: [], plan: undefined });
    await chats.saveChat({ chatId, messages: uiMessages.slice(0, 3) });
    await chats.saveChat({ chatId, messages: uiMessages, plan });
    await chats.saveChat({ chatId, messages: uiMessages });

    const loaded = await chats.loadChat(chatId);
    expect(loaded).toMatchObject({ messages: uiMessages, plan, branch: "", threadId: chatId });
    const { entries } = await store.read(chatId);
    expect(written.reduce((sum, one) => sum + one, 0)).toBe(entries.length);
    expect(written).toHaveLength(2);
  });

  it("takes one of two equal requests, whichever comes first", async () => {
    const chats = chatStore(memoryStore(), { now: () => 0 });
    const { revision } = await chats.saveChat({ chatId, messages: first.slice(0, 2) });
    const send = () => chats.saveChat({ chatId, messages: first, revision });
    const outcomes = await Promise.allSettled([send(), send(), send()]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    const refused = { code: "VERSION_CONFLICT" };
    for (const one of outcomes)
      if (one.status === "rejected") expect(one.reason).toMatchObject(refused);
    const { messages } = await chats.loadChat(chatId);
    expect(messages).toEqual(first);
    await expect(
      chats.saveChat({ chatId, messages: [...messages, user("u2", "When?")] }),
    ).rejects.toMatchObject(refused);
  });

  it("goes on in a branch where a message was edited or an answer regenerated, and keeps the other", async () => {
    const chats = chatStore(memoryStore());
    await chats.saveChat({ chatId, messages: [...first, answer("a2", "At nine.")], plan });
    const regenerated = [...first, answer("a3", "At noon.")];
    const second = await chats.saveChat({ chatId, messages: regenerated });
    const edited = [first[0], first[1], user("u2", "How long?")].flatMap((one) => one ?? []);
    const third = await chats.saveChat({ chatId, messages: edited });
    const again = [user("u9", "To Oslo?")];
    const fourth = await chats.saveChat({ chatId, messages: again });

    expect((await chats.loadChat(chatId)).messages).toEqual(again);
    expect(await chats.branches(chatId)).toEqual([
      { branch: "" },
      { branch: second.branch, from: "", replaced: "a2" },
      { branch: third.branch, from: second.branch, replaced: "u2" },
      { branch: fourth.branch, from: third.branch, replaced: "u1" },
    ]);
    const old = await chats.loadChat(chatId, { branch: "" });
    expect(old.messages).toEqual([...first, answer("a2", "At nine.")]);
    expect(old.plan).toEqual(plan);
    await chats.selectBranch(chatId, second.branch);
    const { messages, revision } = await chats.loadChat(chatId);
    expect(messages).toEqual(regenerated);
    await chats.saveChat({ chatId, messages: [...messages, user("u4", "And back?")], revision });
    expect((await chats.loadChat(chatId)).messages).toHaveLength(5);
    await expect(chats.selectBranch(chatId, "none")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("takes up an answer whose stream broke: what came of it is replaced by the whole", async () => {
    const chats = chatStore(memoryStore());
    const text = { type: "text", text: "At ni", state: "streaming" } as const;
    const partial: UIMessage = { id: "a2", role: "assistant", parts: [text] };
    await chats.saveChat({ chatId, messages: [...first, partial] });
    const { messages, revision } = await chats.loadChat(chatId);
    expect(messages.at(-1)).toEqual(partial);

    const whole = [...messages.slice(0, -1), answer("a2", "At nine.")];
    await chats.saveChat({ chatId, messages: whole, revision });
    expect((await chats.loadChat(chatId)).messages).toEqual(whole);
  });

  it("refuses a message without an id", async () => {
    const save = chatStore(memoryStore()).saveChat({ chatId, messages: [user("", "Hello.")] });

    await expect(save).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("chatStore beside others", () => {
  const edited = [...first.slice(0, 2), user("u3", "How long?")];
  const appended = [...first, answer("a2", "At nine.")];

  it.each(["getState", "read", "append", "fork", "setState"] as const)(
    "loses no message that it took, where another saves before its %s",
    async (verb) => {
      const pairs = [
        [edited, appended],
        [appended, edited],
        [edited, [user("u8", "To Oslo?")]],
      ] as const;
      const cases = pairs.flatMap((pair) => [0, 1, 2, 3].map((nth) => [...pair, nth] as const));
      for (const [mine, others, nth] of cases) {
        for (const isPinned of [true, false]) {
          const store = memoryStore();
          await chatStore(store).saveChat({ chatId, messages: first });
          const { revision } = await chatStore(store).loadChat(chatId);
          const other = () => chatStore(store).saveChat({ chatId, messages: others, revision });
          const { store: slow, outcome } = meeting(store, { verb, nth, meanwhile: other });
          const pin = isPinned ? { revision } : {};
          const saving = chatStore(slow).saveChat({ chatId, messages: mine, ...pin });
          const isMine = await saving.then(() => true, isConflict);
          const isOthers = await outcome().then((met) => met === true, isConflict);

          const { messages } = await chatStore(store).loadChat(chatId);
          if (isPinned) expect(isMine && isOthers).toBe(false);
          // Without a revision, a save comes after the other and says how the chat stands then.
          if (isMine) expect(messages).toEqual(mine);
          else if (isOthers) expect(messages).toEqual(others);
        }
      }
    },
  );

  it("deletes a chat with its branches, named or not, and lists a chat once", async () => {
    const store = memoryStore();
    await store.setMetadata(chatId, { user: "ada", title: "Rome" });
    const chats = chatStore(store);
    for (const messages of [first, edited, [user("u8", "To Oslo?")]])
      await chats.saveChat({ chatId, messages });
    await chatStore(failingAt(store, 6))
      .saveChat({ chatId, messages: first })
      .catch(() => undefined);
    const forks = (await store.list({ user: "ada" })).threads.filter(({ isFork }) => isFork);
    expect(forks.length).toBeGreaterThan(1);
    for (const { title } of forks) expect(title).toBe("Rome");
    const listed = await store.list({ user: "ada", withoutForks: true });
    expect(listed.threads.map(({ threadId }) => threadId)).toEqual([chatId]);
    await chats.deleteChat(chatId);
    expect((await store.list()).threads).toEqual([]);
    await expect(chats.loadChat(chatId)).rejects.toMatchObject({ code: "THREAD_DELETED" });
  });

  it("goes on through any number of edits, each under a name as short as the first", async () => {
    const store = memoryStore();
    const chats = chatStore(store);
    for (let nth = 0; nth < 300; nth++)
      await chats.saveChat({ chatId, messages: [...first, answer(`b${nth}`, "At nine.")] });
    expect(await chats.branches(chatId)).toHaveLength(300);
    const { threads } = await store.list({ limit: 1000 });
    for (const { threadId } of threads) expect(threadId.length).toBeLessThan(20);
  });

  it("keeps what the head names, and at most one branch that nothing names, where answers are lost or signals fire at any call", async () => {
    const original = [edited, [user("u8", "To Oslo?")]];
    for (const messages of original)
      for (const isDone of [true, false])
        for (let nth = 0; nth < 14; nth++) {
          const store = memoryStore();
          await chatStore(store).saveChat({ chatId, messages: first });
          const saving = chatStore(failingAt(store, nth, isDone)).saveChat({ chatId, messages });
          const isSaved = await saving.then(
            () => true,
            () => false,
          );
          const loaded = (await chatStore(store).loadChat(chatId)).messages;
          expect([messages, ...(isSaved ? [] : [first])]).toContainEqual(loaded);
          const next = [...loaded.slice(0, -1), user("u9", "To Bonn?")];
          await chatStore(store).saveChat({ chatId, messages: next });
          expect((await chatStore(store).loadChat(chatId)).messages).toEqual(next);
          const branches = await chatStore(store).branches(chatId);
          const named = branches.map(({ branch }) =>
            branch === "" ? chatId : `${chatId}/${branch}`,
          );
          const listed = (await store.list()).threads.map(({ threadId }) => threadId);
          expect(listed).toEqual(expect.arrayContaining(named));
          // A branch whose naming has failed may still be named, and stays until the chat is deleted.
          expect(listed.length - named.length).toBeLessThanOrEqual(isSaved || isDone ? 0 : 1);
          await chatStore(store).deleteChat(chatId);
          expect((await store.list()).threads).toEqual([]);
        }
  });

  it("is as it was, or as it was saved, where the store fails at any call", async () => {
    for (let nth = 0; nth < 12; nth++) {
      const store = memoryStore();
      await chatStore(store).saveChat({ chatId, messages: first });
      const failing = failingAt(store, nth);
      const isSaved = await chatStore(failing)
        .saveChat({ chatId, messages: edited })
        .then(
          () => true,
          () => false,
        );

      const { messages } = await chatStore(store).loadChat(chatId);
      expect([edited, ...(isSaved ? [] : [first])]).toContainEqual(messages);
      await chatStore(store).saveChat({ chatId, messages: edited });
      expect((await chatStore(store).loadChat(chatId)).messages).toEqual(edited);
    }
  });
});

function isConflict(error: unknown): false {
  expect(error).toMatchObject({ code: "VERSION_CONFLICT" });
  return false;
}

/** A store that lets another save run before the nth call of a verb. */
function meeting(
  store: HistoryStore,
  at: {
    readonly verb: "getState" | "read" | "append" | "fork" | "setState";
    readonly nth: number;
    readonly meanwhile: () => Promise<unknown>;
  },
): { readonly store: HistoryStore; readonly outcome: () => Promise<boolean | undefined> } {
  let calls = 0;
  let met: Promise<boolean | undefined> = Promise.resolve(undefined);
  const before = async (): Promise<void> => {
    calls += 1;
    if (calls !== at.nth + 1) return;
    met = at.meanwhile().then(() => true);
    await met.catch(() => undefined);
  };
  const slow = async (...given: never[]): Promise<unknown> => {
    await before();
    const verb: (...call: never[]) => unknown = store[at.verb];
    return verb(...given);
  };
  return { store: { ...store, [at.verb]: slow }, outcome: () => met };
}

/** A store whose nth call fails, with effect or without. */
function failingAt(store: HistoryStore, nth: number, isDone = false): HistoryStore {
  let calls = 0;
  const failing = Object.entries(store).map(([name, verb]) => [
    name,
    async (...given: unknown[]) => {
      calls += 1;
      const isLost = calls === nth + 1;
      if (isLost && !isDone) throw new Error("The store is gone.");
      const result: unknown = await verb(...given);
      if (isLost) throw new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
      return result;
    },
  ]);
  return Object.fromEntries(failing);
}
