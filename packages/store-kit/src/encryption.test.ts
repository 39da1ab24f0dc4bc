import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { encryptedDriver } from "./encryption.ts";
import type { EncryptionKey, EncryptionKeys } from "./encryption.ts";
import { memoryDriver } from "./memory-store.ts";
import type { MemoryThreads } from "./memory-store.ts";
import { threadStore } from "./thread-store.ts";

/** What must not be found in what the engine has. */
const MARKER = "Zoraya-Quillfeather";

const newBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(32));
const userKey = newBytes();

async function webKey(bytes: Uint8Array): Promise<CryptoKey> {
  const usages = ["encrypt", "decrypt"] as const;
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, [...usages]);
}

type KeyTable = Map<string, readonly EncryptionKey[] | "destroyed">;

function storeOf(threads: MemoryThreads, table: KeyTable): HistoryStore {
  const keys: EncryptionKeys = {
    of: ({ user }) => (user === undefined ? "nobody" : `of ${user.length}`),
    get: (name) => table.get(name),
  };
  const about = async () => ({ kind: "memory", durability: "none", details: {} });
  return threadStore(memoryDriver(threads), {
    scope: "test",
    system: "memory",
    describe: about,
    wrapDriver: (driver) => encryptedDriver(driver, { keys, userKey }),
  });
}

type NewKey = () => EncryptionKey | Promise<EncryptionKey>;

/** Keys of threads without a user, of Zoraya and of Bob. */
async function tableOf(newKey: NewKey): Promise<KeyTable> {
  const names = ["nobody", `of ${MARKER.length}`, "of 3"];
  return new Map(await Promise.all(names.map(async (name) => [name, [await newKey()]] as const)));
}

function textOf(threads: MemoryThreads): string {
  return JSON.stringify([...threads], (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (one: unknown) => one,
  );
  return isHistoryError(error) ? error.code : undefined;
}

/** A thread with all that a store keeps of a person; the user is set after the first messages. */
async function chat(store: HistoryStore, name: string, user: string, length = 20): Promise<void> {
  const log = Array.from({ length }, (_, nth) =>
    userMessage({ id: `m${nth}`, content: `${user} says ${nth}`, metadata: { by: user } }),
  );
  for (let from = 0; from < length; from += 500)
    await store.append(name, log.slice(from, from + 500));
  await store.setState(name, "plan", { quote: user }, { expectedRevision: 0 });
  await store.commitCompaction(name, {
    view: "thread",
    summary: summary({ id: "z", content: user, strategy: "all", trust: "user" }),
    covers: [{ from: "m0", to: "m1" }],
    expectedViewRevision: 0,
  });
  await store.setMetadata(name, { user, title: user, tags: [user], hold: null });
  await store.fork(name, { at: "m5", as: "edit" });
  const edit = { from: "m8", expectedVersion: "any", operationId: "o" } as const;
  await store.replaceSuffix(`${name}/edit`, { ...edit, from: "m4", replacement: [] });
}

describe.each<[string, NewKey]>([
  ["bytes", newBytes],
  ["keys of WebCrypto", async () => webKey(newBytes())],
])("encryptedDriver with %s", (_, newKey) => {
  const newTable = async (): Promise<KeyTable> => tableOf(newKey);

  it("leaves no plain text of entries, their summaries, state and metadata, and reads all of it", async () => {
    const threads: MemoryThreads = new Map();
    const store = storeOf(threads, await newTable());
    await chat(store, "t", MARKER, 1000);
    expect(textOf(threads)).not.toContain(MARKER);
    // Nor as base64 at any of its three places, nor as a hash without a key.
    for (const shift of ["", "x", "xy"])
      expect(textOf(threads)).not.toContain(btoa(`${shift}${MARKER}`).slice(4, -4));
    const { entries, problems } = await store.read("t");
    expect([entries.length, problems, entries[9]]).toMatchObject([
      1000,
      [],
      { content: `${MARKER} says 9` },
    ]);
    expect(await store.list({ user: MARKER })).toMatchObject({ threads: [{}, { title: MARKER }] });
    expect(await store.getState("t", "plan")).toMatchObject({ value: { quote: MARKER } });
    expect(
      (
        await store.append(
          "t",
          [entries[9]].flatMap((one) => one ?? []),
        )
      ).duplicate,
    ).toBe(true);
  });

  it("reads what older versions of a key wrote, and takes the newest to write", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const store = storeOf(threads, table);
    await store.append("t", [userMessage({ id: "a", content: "a" })]);
    const [first] = [table.get("nobody")].flat();
    const second = await newKey();
    if (typeof first !== "object") throw new Error("no key");
    table.set("nobody", [first, second]);
    await store.append("t", [userMessage({ id: "b", content: "b" })]);
    expect((await store.read("t")).entries.map(({ id }) => id)).toEqual(["a", "b"]);
    // With the first version alone, what the second wrote is not lost, and not read.
    table.set("nobody", [first]);
    expect(await codeOf(store.read("t"))).toBe("KEY_UNAVAILABLE");
    table.set("nobody", [first, second]);
    expect((await store.read("t")).entries).toHaveLength(2);
  });

  it("encrypts a thread with the key of its user, also what was written before the user was known", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const store = storeOf(threads, table);
    await chat(store, "t", MARKER);
    table.delete("nobody");
    expect((await store.read("t")).entries).toHaveLength(20);
    expect(await store.verify("t")).toEqual([]);
    expect(await store.listSummaries("t")).toHaveLength(1);
    expect(await store.getState("t", "plan")).toMatchObject({ revision: 1 });
    // A handle that knows the thread of before goes on, too.
    const other = storeOf(threads, table);
    await other.read("t");
    await store.setMetadata("t", { user: "bob" });
    await other.append("t", [userMessage({ id: "more", content: "more" })]);
    table.delete(`of ${MARKER.length}`);
    expect((await store.read("t")).entries).toHaveLength(21);
  });

  it("refuses a missing and a wrong key with a typed error, and loses nothing", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const store = storeOf(threads, table);
    await chat(store, "t", "bob");
    const key = table.get("of 3") ?? [];
    const before = textOf(threads);
    for (const wrong of [undefined, [await newKey()], []]) {
      if (wrong === undefined) table.delete("of 3");
      else table.set("of 3", wrong);
      const fresh = storeOf(threads, table);
      for (const one of [store, fresh])
        for (const work of [
          async () => one.read("t"),
          async () => one.getState("t", "plan"),
          async () => one.delete("t"),
          async () => one.eraseUser("bob"),
          async () => one.sweep({ idleMs: 0 }),
        ])
          expect(await codeOf(work())).toBe("KEY_UNAVAILABLE");
      expect(await codeOf(fresh.append("t", [userMessage({ content: "lost?" })]))).toBe(
        "KEY_UNAVAILABLE",
      );
      expect((await fresh.list()).threads).toMatchObject([
        { threadId: "t", sealed: "unavailable" },
        { threadId: "t/edit", sealed: "unavailable" },
      ]);
    }
    expect(textOf(threads)).toBe(before);
    table.set("of 3", key);
    expect((await store.read("t")).entries).toHaveLength(20);
  });

  it("is empty, typed, once a key was destroyed; lists and the threads of others go on", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const store = storeOf(threads, table);
    await chat(store, "t", MARKER);
    await chat(store, "of bob", "bob");
    table.set(`of ${MARKER.length}`, "destroyed");
    const query = { clauses: [{}], view: "thread" } as const;
    for (const one of [store, storeOf(threads, table)]) {
      const read = await one.read("t", { query });
      expect(read).toMatchObject({ entries: [], problems: [], sealed: "destroyed" });
      expect(await one.getState("t", "plan")).toBeUndefined();
      expect(await one.listSummaries("t")).toEqual([]);
      const metadata = await one.getMetadata("t");
      expect([metadata?.sealed, metadata?.title, metadata?.user]).toEqual([
        "destroyed",
        undefined,
        undefined,
      ]);
      expect((await one.list({ user: MARKER })).threads).toHaveLength(2);
      expect(await codeOf(one.append("t", [userMessage({ content: "x" })]))).toBe("KEY_DESTROYED");
      expect(await codeOf(one.fork("t", { at: "m1", as: "f" }))).toBe("KEY_DESTROYED");
      expect(await codeOf(one.eraseEntries("t", ["m1"]))).toBe("KEY_DESTROYED");
      const edit = { from: "m1", expectedVersion: "any", operationId: "late" } as const;
      expect(await codeOf(one.replaceSuffix("t", { ...edit, replacement: [] }))).toBe(
        "KEY_DESTROYED",
      );
      expect(await codeOf(exported(one, "t"))).toBe("KEY_DESTROYED");
      expect((await one.read("of bob")).entries).toHaveLength(20);
    }
    expect((await store.eraseUser(MARKER)).threads).toBe(2);
    expect((await store.list()).threads.map(({ threadId }) => threadId)).toEqual([
      "of bob",
      "of bob/edit",
    ]);
  });

  it("notices a row, a head, a summary or a value that was moved to another place or thread", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const store = storeOf(threads, table);
    await chat(store, "t", "bob");
    await chat(store, "u", "bob");
    const [one, other] = [threads.get("t"), threads.get("u")];
    const [first, third] = [one?.lanes.h[0], one?.lanes.h[2]];
    if (!one || !other || !first || !third) throw new Error("nothing was written");
    other.lanes.h[0] = first;
    other.lanes.h[3] = { ...third, position: 3 };
    const { entries, problems } = await store.read("u");
    expect([entries.length, problems.map(({ position }) => position)]).toEqual([18, [0, 3]]);
    const state = one.items.get("s")?.get("plan") ?? "";
    other.items.get("s")?.set("plan", state);
    expect(await codeOf(store.getState("u", "plan"))).toBe("THREAD_CORRUPT");
    other.items.get("o")?.set("z", one.items.get("o")?.get("z") ?? "");
    expect(await codeOf(store.listSummaries("u"))).toBe("THREAD_CORRUPT");
    other.head = one.head;
    expect(await codeOf(storeOf(threads, table).read("u"))).toBe("KEY_UNAVAILABLE");
  });

  it("notices a head whose fields in the clear were changed", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    await chat(storeOf(threads, table), "t", "bob");
    const one = threads.get("t");
    if (!one) throw new Error("nothing was written");
    const { head } = one;
    for (const [from, to] of [
      ['"entryCount":20', '"entryCount":10'],
      ['"views":{', '"views":{"agent:x":{"revision":1,"hidden":[[0,9]],"tops":[]},'],
    ] as const) {
      one.head = head.replace(from, to);
      expect(one.head).not.toBe(head);
      expect(await codeOf(storeOf(threads, table).read("t"))).toBe("KEY_UNAVAILABLE");
    }
  });

  it("refuses what was stored without encryption", async () => {
    const [threads, table] = [new Map() as MemoryThreads, await newTable()];
    const about = async () => ({ kind: "memory", durability: "none", details: {} });
    const plain = threadStore(memoryDriver(threads), { scope: "t", system: "m", describe: about });
    await plain.append("t", [userMessage({ id: "a", content: "a" })]);
    const store = storeOf(threads, table);
    expect(await codeOf(store.read("t"))).toBe("KEY_UNAVAILABLE");
    await store.importThread("copy", plain.exportThread("t"));
    expect((await store.read("copy")).entries).toHaveLength(1);
  });
});

describe("encryptedDriver", () => {
  it("reads with a key of WebCrypto what its bytes wrote, and the other way round", async () => {
    const bytes = newBytes();
    for (const both of [
      [bytes, await webKey(bytes)],
      [await webKey(bytes), bytes],
    ]) {
      const threads: MemoryThreads = new Map();
      for (const key of both) {
        const store = storeOf(threads, new Map([["nobody", [key]]]));
        await store.append("t", [userMessage({ content: "Grüße 🎈" })]);
        const { entries, problems } = await store.read("t");
        expect(problems).toEqual([]);
        expect(new Set(entries.map(contentOf))).toEqual(new Set(["Grüße 🎈"]));
      }
    }
  });

  it("refuses a key of another length by a typed error", async () => {
    const store = storeOf(new Map(), new Map([["nobody", [new Uint8Array(16)]]]));
    expect(await codeOf(store.append("t", [userMessage({ content: "x" })]))).toBe("INVALID_OPTION");
  });
});

function contentOf(entry: HistoryEntry): unknown {
  return "content" in entry ? entry.content : undefined;
}

async function exported(store: HistoryStore, name: string): Promise<string> {
  let text = "";
  for await (const line of store.exportThread(name)) text += line;
  return text;
}
