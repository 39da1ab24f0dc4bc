import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { managerOptions } from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { TEST_STORES } from "../test-support/store-factories.ts";
import { wholeReads } from "../test-support/watched-reads.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager } from "./index.ts";

const CALL = { systemMessage: "You answer." };
const THREAD = "thread-1";
const SLOT = "history-manager/prompt:[null,null,null]";
const WINDOW = { contextTokens: 600 };

/** What happens between two calls of a process, by itself or by another. */
const EVENTS = [
  "asks",
  "answers",
  "is asked elsewhere",
  "compacts elsewhere",
  "expands elsewhere",
  "edits elsewhere",
  "loses its state",
  "has its state damaged",
  "restarts",
] as const;

type Event = (typeof EVENTS)[number];

const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<Event>("asks", "answers") },
    { weight: 1, arbitrary: fc.constantFrom<Event>(...EVENTS) },
  ),
  { minLength: 4, maxLength: 14 },
);

function turns(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, turn) => [
    userMessage({ id: `u${turn}`, createdAtMs: 1, content: `Question number ${turn}` }),
    assistantMessage({ id: `a${turn}`, createdAtMs: 1, content: `Answer number ${turn}` }),
  ]).flat();
}

describe.each(TEST_STORES)("a process that goes on, on %s", (_name, makeTestStore, share) => {
  it("gives what one that reads everything gives, whatever others did meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(events, async (all) => {
        const place = makeTestStore();
        const store = place.open();
        await store.append(THREAD, turns(60));
        const options = managerOptions({ window: WINDOW, compressor: prefixCompressor });
        const on = (handle: HistoryStore): HistoryManager =>
          createHistoryManager({ ...options, store: handle });
        let here = on({ ...store });
        await here.historyForModelCall(CALL);
        let isEdited = false;
        for (const event of all) {
          if (event === "restarts") here = on({ ...store });
          else await carryOut(event, { here, elsewhere: on({ ...store }), store });
          isEdited ||= event === "edits elsewhere";
          const expected = await on(wholeReads(store)).historyForModelCall(CALL);
          const given = await here.historyForModelCall(CALL);
          // Whoever knows the same entries by object need not let go of them where an end was replaced.
          if (isEdited) await expectStored(given.entries, store);
          else expect(given.entries).toEqual(expected.entries);
        }
        await place.close();
      }),
      { numRuns: Math.ceil(lawRuns(24) * share) },
    );
  });
});

/** Of the thread a prompt says what is stored of it now, to its end. */
async function expectStored(prompt: readonly HistoryEntry[], store: HistoryStore): Promise<void> {
  const { entries } = await store.read(THREAD, { query: { clauses: [{}], view: "thread" } });
  const stored = new Map(entries.map((entry) => [entry.id, entry]));
  expect(prompt.at(-1)?.id).toBe(entries.at(-1)?.id);
  // The first is the instructions.
  for (const entry of prompt.slice(1)) expect(stored.get(entry.id)).toEqual(entry);
}

let made = 0;

async function carryOut(
  event: Exclude<Event, "restarts">,
  on: {
    readonly here: HistoryManager;
    readonly elsewhere: HistoryManager;
    readonly store: HistoryStore;
  },
): Promise<void> {
  const { here, elsewhere, store } = on;
  const id = `e${(made += 1)}`;
  switch (event) {
    case "asks":
      await here.addUserMessage({ id, content: `And ${id}?` });
      return;
    case "answers":
      await here.addAssistantMessage({ id, content: `It is ${id}.` });
      return;
    case "is asked elsewhere":
      await elsewhere.addUserMessage({ id, content: `Elsewhere, ${id}?` });
      await elsewhere.historyForModelCall(CALL);
      return;
    case "compacts elsewhere":
      await elsewhere.compress({ view: "thread" });
      return;
    case "expands elsewhere": {
      const summaries = await store.listSummaries(THREAD);
      const last = summaries.at(-1);
      if (last !== undefined) await store.expand(THREAD, last.id);
      return;
    }
    case "edits elsewhere": {
      const { entries } = await store.read(THREAD);
      const from = entries.at(-1)?.id ?? "";
      const replacement = [userMessage({ id, createdAtMs: 1, content: `Rather ${id}?` })];
      const edit = { from, expectedVersion: "any", replacement, operationId: id } as const;
      await store.replaceSuffix(THREAD, edit);
      return;
    }
    case "loses its state":
    case "has its state damaged": {
      const stored = await store.getState(THREAD, SLOT);
      if (stored === undefined) return;
      const value = event === "loses its state" ? undefined : { plan: 7 };
      await store.setState(THREAD, SLOT, value, { expectedRevision: stored.revision });
    }
  }
}
