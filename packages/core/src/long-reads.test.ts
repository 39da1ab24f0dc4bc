import { setImmediate } from "node:timers/promises";

import { expect, it, vi } from "vitest";

import { action, assistantMessage, observation, task, userMessage } from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryQuery } from "./history-query.ts";
import { memoryStore } from "./memory-store.ts";
import { exportThread } from "./move-thread/index.ts";
import { selectPage } from "./select-page.ts";

const ENTRIES = 45_000;

const QUERIES: readonly (readonly [string, HistoryQuery, steps: number])[] = [
  ["a worker's view", { clauses: [{ agent: "w", lastTask: { of: "w" } }] }, 20],
  ["all that one agent did", { clauses: [{ agent: "w" }] }, 20],
  [
    "the last turns, within a limit",
    { clauses: [{ lastTurns: { count: 9 } }], maxEntries: 30 },
    40,
  ],
];

it.each(QUERIES)(
  "lets others have their turn while memory reads %s, and shows the thread as it was",
  async (_name, query, steps) => {
    const log = longLog();
    const store = memoryStore();
    for (let start = 0; start < log.length; start += 500) {
      await store.append("t", log.slice(start, start + 500));
    }
    const clock = slowClock();
    let turns = 0;
    const progress = { isOver: false };
    const reading = store.read("t", { query }).finally(() => (progress.isOver = true));
    while (!progress.isOver) {
      const id = `late ${turns}`;
      await store.append("t", [userMessage({ id, createdAtMs: 0, content: "Late" })]);
      await setImmediate();
      turns += 1;
    }
    clock.mockRestore();
    const { entries, version, entryCount } = await reading;
    expect(turns).toBeGreaterThan(steps);
    expect({ entries, version, entryCount }).toEqual({
      entries: selectPage(log, query).entries,
      version: ENTRIES,
      entryCount: ENTRIES,
    });
  },
);

it.each([3, 5000])(
  "gives a read and a fork of %i entries the counts they had, though they are replaced meanwhile",
  async (length) => {
    const store = memoryStore();
    const log = longLog().slice(0, length);
    for (let start = 0; start < length; start += 500) {
      const batch = log.slice(start, start + 500);
      await store.append("t", batch, { tokens: new Map([["c", batch.map(() => 1)]]) });
    }
    const [first, second] = log.map(({ id }) => id);
    const reading = store.read("t");
    const forking = store.fork("t", { at: log.at(-1)?.id ?? "", as: "f" });
    const counted = new Map([["c", [2]]]);
    await store.replaceSuffix("t", {
      from: second ?? "",
      expectedVersion: "any",
      replacement: [userMessage({ id: second ?? "", createdAtMs: 1, content: "Edited" })],
      operationId: "edit",
      tokens: counted,
    });
    const before = log.map(() => 1);
    expect((await reading).tokens.get("c")).toEqual(before);
    await forking;
    expect((await store.read("t/f")).tokens.get("c")).toEqual(before);
    const { entries, tokens } = await store.read("t");
    expect(entries.map(({ id }) => id)).toEqual([first, second]);
    expect(tokens.get("c")).toEqual([1, 2]);
  },
);

it("ends between two steps where the signal fires", async () => {
  const store = memoryStore();
  const log = longLog();
  for (let start = 0; start < log.length; start += 500) {
    await store.append("t", log.slice(start, start + 500));
  }
  const clock = slowClock();
  const controller = new AbortController();
  const query = { clauses: [{ agent: "w" }] };
  const reading = store.read("t", { query, signal: controller.signal });
  controller.abort();
  await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
  clock.mockRestore();
});

it("lets others have their turn between the pages of an export", async () => {
  const store = memoryStore();
  const log = longLog().slice(0, 10_000);
  for (let start = 0; start < log.length; start += 500) {
    await store.append("t", log.slice(start, start + 500));
  }
  const clock = slowClock();
  let turns = 0;
  const progress = { isOver: false };
  const writing = (async () => {
    const lines: string[] = [];
    for await (const line of exportThread(store, "t")) lines.push(line);
    return lines;
  })().finally(() => (progress.isOver = true));
  while (!progress.isOver) {
    await setImmediate();
    turns += 1;
  }
  clock.mockRestore();
  expect((await writing).length).toBeGreaterThan(log.length);
  expect(turns).toBeGreaterThan(30);
});

/** As if each step took long. */
function slowClock(): { readonly mockRestore: () => void } {
  let now = Date.now();
  return vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
}

function longLog(): readonly HistoryEntry[] {
  const agent = { id: "w", role: "worker" } as const;
  return Array.from({ length: ENTRIES / 5 }, (_, turn) => {
    const stamp = (name: string) => ({ id: `${turn} ${name}`, createdAtMs: turn });
    const call = { id: "call", name: "find", arguments: "{}" };
    const answer = { callId: "call", toolName: "find", outcome: "success", content: "1" } as const;
    return [
      userMessage({ ...stamp("question"), content: "Where?" }),
      task({ ...stamp("task"), agent, content: "Find it." }),
      action({ ...stamp("action"), agent, toolCalls: [call] }),
      observation({ ...stamp("result"), agent, ...answer }),
      assistantMessage({ ...stamp("answer"), content: "Here." }),
    ];
  }).flat();
}
