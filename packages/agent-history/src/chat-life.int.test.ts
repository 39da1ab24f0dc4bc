import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { afterAll, describe, expect, it } from "vitest";

import { stores } from "../test-support/open-stores.ts";
import type { OpenStores } from "../test-support/open-stores.ts";

const CHAT = "ada:chat-1";
const BRANCH = `${CHAT}/what-if`;

const ask = (id: string): HistoryEntry => userMessage({ id, content: `${id}?`, createdAtMs: 1 });
const answer = (id: string): HistoryEntry =>
  assistantMessage({ id, content: `${id}.`, createdAtMs: 2 });

/** Where the chats are moved to. */
const others: Promise<readonly OpenStores[]> = Promise.all(
  Object.values(stores).map(async (start) => start()),
);
afterAll(async () => {
  for (const { close } of await others) await close();
});

describe.each(Object.entries(stores))("the life of a chat in %s", (name, start) => {
  it("goes through edits, regenerated answers, branches, pages, a move and its end", async () => {
    const { open, close } = await start();
    try {
      // Each step is another process's.
      await begin(open());
      await edit(open());
      const { threads } = await open().list({ user: "ada", limit: 20 });
      expect(Object.fromEntries(threads.map(({ threadId, title }) => [threadId, title]))).toEqual({
        [CHAT]: "Planets",
        [BRANCH]: "Other planets",
      });
      expect(await pagesOf(open(), CHAT)).toEqual([
        "q7 a7 q8 a8 q9 a9 q10-edited a10-again",
        "q3 a3 q4 a4 q5 a5 q6 a6",
        "q1 a1 q2 a2",
      ]);
      expect(await open().verify(CHAT)).toEqual([]);
      await moveToAll(open, name);
      await end(open());
    } finally {
      await close();
    }
  });
});

async function begin(store: HistoryStore): Promise<void> {
  await store.setMetadata(CHAT, { title: "Planets", user: "ada" });
  for (let turn = 1; turn <= 10; turn += 1) {
    await store.append(CHAT, [ask(`q${turn}`)]);
    await store.append(CHAT, [answer(`a${turn}`)]);
  }
}

async function edit(store: HistoryStore): Promise<void> {
  const replacement = [ask("q10-edited")];
  const call = { from: "q10", expectedVersion: 20, replacement, operationId: "edit" };
  expect(await store.replaceSuffix(CHAT, call)).toEqual({ version: 22 });
  expect(await store.replaceSuffix(CHAT, call)).toEqual({ version: 22 });
  await store.append(CHAT, [answer("a10-edited")]);
  await store.replaceSuffix(CHAT, {
    from: "a10-edited",
    expectedVersion: 23,
    replacement: [answer("a10-again")],
    operationId: "regenerate",
  });
  // A retry of what was edited comes late.
  expect(await store.append(CHAT, [ask("q10")])).toEqual({ version: 25, duplicate: true });
  await store.fork(CHAT, { at: "a3", as: "what-if" });
  await store.append(BRANCH, [ask("q4-other")]);
  await store.setMetadata(BRANCH, { title: "Other planets" });
}

async function pagesOf(store: HistoryStore, threadId: string): Promise<readonly string[]> {
  const pages: string[] = [];
  let before: string | undefined;
  do {
    const bound = before === undefined ? {} : { before };
    const query = { clauses: [{}], maxEntries: 8, ...bound };
    const { entries, next } = await store.read(threadId, { query });
    pages.push(entries.map(({ id }) => id).join(" "));
    before = next;
  } while (before !== undefined);
  return pages;
}

/** Moves the chat to each of the stores: equal to the byte in its next export, and in what reads show. */
async function moveToAll(open: () => HistoryStore, name: string): Promise<void> {
  const threadId = `${CHAT} of ${name}`;
  for (const other of await others) {
    await other.open().importThread(threadId, open().exportThread(CHAT));
    const [given, moved] = [await open().read(CHAT), await other.open().read(threadId)];
    expect({ ...moved, version: given.version }).toEqual(given);
    expect([moved.version, moved.entryCount]).toEqual([20, 20]);
    expect(await pagesOf(other.open(), threadId)).toEqual(await pagesOf(open(), CHAT));
  }
}

async function end(store: HistoryStore): Promise<void> {
  await store.delete(CHAT);
  await expect(store.append(CHAT, [ask("q11")])).rejects.toMatchObject({ code: "THREAD_DELETED" });
  const { entries } = await store.read(BRANCH);
  expect(entries.map(({ id }) => id).join(" ")).toBe("q1 a1 q2 a2 q3 a3 q4-other");
}
