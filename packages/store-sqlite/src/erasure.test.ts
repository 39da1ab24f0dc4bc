import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { action, observation, summary, userMessage } from "@agent-history/core";
import type { ErasureRemains, HistoryStore } from "@agent-history/core";
import { expect, it, onTestFinished } from "vitest";

import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** What is searched for in the bytes of the file and of its log. */
const MARKER = "Zoraya-Quillfeather";

it("eraseUser leaves no byte of a person in the file and its log, and all of others", async () => {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  await writeChats(store, "bob", "bob");
  const before = await linesOf(store, "bob");
  await writeChats(store, `chat of ${MARKER}`, MARKER);
  await writeChats(store, "other", MARKER);
  expect(found(path)).toBeGreaterThan(100);
  const { threads, remains } = await store.eraseUser(MARKER);
  expect(threads).toBe(6);
  clear(path, remains);
  expect(found(path)).toBe(0);
  expect(await linesOf(store, "bob")).toEqual(before);
  expect(await store.verify("bob")).toEqual([]);
});

it("eraseEntries leaves no byte of what entries said, in forks, summaries and state neither", async () => {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  await writeChats(store, "bob", "bob");
  const said = ["m1", "m2"].map((id) => userMessage({ id, content: `${MARKER} lives in Rome.` }));
  await store.append("bob", said);
  await store.append("bob", [userMessage({ id: "m3", content: "And I do not." })]);
  await store.fork("bob", { at: "m3", as: "later" });
  await store.setState("bob", "recall", { quote: said[0]?.id ?? "" }, { expectedRevision: 0 });
  await store.setMetadata("bob", { title: MARKER });
  const fields = { strategy: "whole", trust: "user" } as const;
  await store.commitCompaction("bob/later", {
    view: "conversation",
    summary: summary({ id: "y", content: `${MARKER} again.`, ...fields }),
    covers: [{ from: "m1", to: "m3" }],
    expectedViewRevision: 0,
  });
  await store.replaceSuffix("bob/later", {
    from: "m2",
    expectedVersion: "any",
    replacement: [],
    operationId: "edit",
  });
  expect(found(path)).toBeGreaterThan(5);
  const { remains } = await store.eraseEntries("bob", ["m1", "m2"]);
  clear(path, remains);
  expect(found(path)).toBe(0);
  const { entries } = await store.read("bob", { originals: true });
  expect(entries.at(-1)?.id).toBe("m3");
  expect(await store.verify("bob")).toEqual([]);
});

it("the commands of the receipt clear what SQLite left in pages when it moved rows between them", async () => {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  // Threads that grow in turn, so that their rows move between pages: with SQLite 3.53 one name is left before the file is vacuumed.
  const names = Array.from(
    { length: 100 },
    (_, nth) => `${["bob", MARKER, "eve"][nth % 3]} ${nth}`,
  );
  for (const name of names) await store.setMetadata(name, { user: name.split(" ")[0] ?? "" });
  for (let nth = 0; nth < 6; nth += 1)
    for (const [at, name] of names.entries()) {
      const content = `${name} `.repeat(1 + ((nth * 7 + at * 5) % 50));
      await store.append(name, [userMessage({ id: `m${nth}`, createdAtMs: 1, content })]);
    }
  const { remains } = await store.eraseUser(MARKER);
  clear(path, remains);
  expect(found(path)).toBe(0);
  expect((await store.read("bob 0")).entries).toHaveLength(6);
});

function clear(path: string, remains: readonly ErasureRemains[]): void {
  const database = new DatabaseSync(path);
  for (const { clear: command } of remains) database.exec(command);
  database.close();
}

function found(path: string): number {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  return files.reduce(
    (sum, file) => sum + readFileSync(file).toString("latin1").split(MARKER).length - 1,
    0,
  );
}

/** A long chat with branches, calls, summaries and state, which all say the name. */
async function writeChats(store: HistoryStore, threadId: string, user: string): Promise<void> {
  const agent = { id: `agent of ${user}`, role: "worker" } as const;
  for (let nth = 0; nth < 60; nth += 1) {
    const call = { id: `c${nth}`, name: "find", arguments: JSON.stringify({ name: user }) };
    await store.append(threadId, [
      userMessage({ id: `u${nth}`, content: `I am ${user}. ${"x".repeat(nth * 50)}` }),
      action({ id: `a${nth}`, agent, toolCalls: [call] }),
      observation({
        id: `o${nth}`,
        agent,
        callId: call.id,
        toolName: "find",
        outcome: "success",
        content: user.repeat(nth),
      }),
    ]);
  }
  await store.setMetadata(threadId, { user, title: `Chat of ${user}`, tags: [user] });
  await store.setState(threadId, `plan of ${user}`, { quote: user }, { expectedRevision: 0 });
  const fields = { strategy: "whole", trust: "user" } as const;
  await store.commitCompaction(threadId, {
    view: "thread",
    summary: summary({ id: "z", content: `${user} wrote.`, ...fields }),
    covers: [{ from: "u0", to: "o20" }],
    expectedViewRevision: 0,
  });
  await store.fork(threadId, { at: "o50", as: `branch of ${user}` });
  await store.fork(threadId, { at: "u0", as: "edit" });
  const replacement = [userMessage({ content: `Now I am not ${user}.` })];
  const change = { from: "u40", expectedVersion: "any", replacement, operationId: user } as const;
  await store.replaceSuffix(threadId, change);
}

async function linesOf(store: HistoryStore, threadId: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.exportThread(threadId)) lines.push(line);
  return lines;
}
