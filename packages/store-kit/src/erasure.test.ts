import type { HistoryStore } from "@agent-history/core";
import { summary, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import type { ThreadDriver } from "./driver.ts";
import { memoryDriver } from "./memory-store.ts";
import type { MemoryThreads } from "./memory-store.ts";
import { threadStore } from "./thread-store.ts";

/** What must go. */
const MARKER = "Zoraya-Quillfeather";

const ERASURES: Readonly<Record<string, (store: HistoryStore) => Promise<unknown>>> = {
  eraseUser: (store) => store.eraseUser(MARKER),
  delete: (store) => store.delete(`chat of ${MARKER}`, { includeForks: true }),
  sweep: (store) => store.sweep({ idleMs: 0 }),
};

describe("an erasure that died", () => {
  it.each(Object.keys(ERASURES))(
    "%s is finished by the same call, wherever it died",
    async (verb) => {
      const erase = ERASURES[verb] ?? (async () => undefined);
      const planted: MemoryThreads = new Map();
      const others = verb === "sweep" ? [] : ["of bob"];
      // Longer than what is removed at once.
      await chat(storeOf(memoryDriver(planted)), `chat of ${MARKER}`, MARKER, 2100);
      for (const name of others) await chat(storeOf(memoryDriver(planted)), name, "bob", 3);
      for (let commits = 0, isDead = true; isDead; commits += 1) {
        const threads = structuredClone(planted);
        const store = storeOf(memoryDriver(threads));
        const before = await Promise.all(others.map(async (name) => exportOf(store, name)));
        const dying = storeOf(diesAfter(memoryDriver(threads), commits));
        isDead = (await erase(dying).catch(() => "dead")) === "dead";
        await erase(store);
        expect(JSON.stringify([...threads], asJson)).not.toContain(MARKER);
        expect(await Promise.all(others.map(async (name) => exportOf(store, name)))).toEqual(
          before,
        );
      }
    },
  );
});

function storeOf(driver: ThreadDriver): HistoryStore {
  const about = async () => ({ kind: "memory", durability: "none", details: {} });
  return threadStore(driver, { scope: "test", system: "memory", describe: about });
}

/** A driver whose process dies after so many commits. */
function diesAfter(driver: ThreadDriver, commits: number): ThreadDriver {
  let left = commits;
  return {
    ...driver,
    commit: async (...args) => {
      if (left === 0) throw new Error("dead");
      left -= 1;
      return driver.commit(...args);
    },
  };
}

describe("an erasure beside a read", () => {
  it("is not mixed with what was there before the entries that follow it", async () => {
    const threads: MemoryThreads = new Map();
    const writer = storeOf(memoryDriver(threads));
    await chat(writer, "t", "ada", 500);
    const driver = memoryDriver(threads);
    let reads = 0;
    const read: ThreadDriver["read"] = async (...given) => {
      reads += 1;
      if (reads === 2) {
        await writer.append("t", [userMessage({ id: "late", content: "late" })]);
        await writer.eraseEntries("t", ["m100"]);
      }
      return driver.read(...given);
    };
    const clauses = [{ types: ["user_message"] }] as const;
    const { entries } = await storeOf({ ...driver, read }).read("t", { query: { clauses } });
    const ids = new Set(entries.map(({ id }) => id));
    expect(reads).toBeGreaterThan(2);
    expect(ids.has("late")).toBe(!ids.has("m100"));
  });
});

async function chat(
  store: HistoryStore,
  name: string,
  user: string,
  length: number,
): Promise<void> {
  const log = Array.from({ length }, (_, nth) => userMessage({ id: `m${nth}`, content: user }));
  for (let from = 0; from < length; from += 500)
    await store.append(name, log.slice(from, from + 500));
  await store.setMetadata(name, { user, title: user });
  await store.fork(name, { at: "m2", as: `edit of ${user}` });
  await store.setState(name, user, user, { expectedRevision: 0 });
  await store.commitCompaction(name, {
    view: "thread",
    summary: summary({ id: "z", content: user, strategy: "all", trust: "user" }),
    covers: [{ from: "m0", to: "m1" }],
    expectedViewRevision: 0,
  });
}

async function exportOf(store: HistoryStore, name: string): Promise<string> {
  let text = "";
  for await (const line of store.exportThread(name)) text += line;
  return text;
}

function asJson(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}
