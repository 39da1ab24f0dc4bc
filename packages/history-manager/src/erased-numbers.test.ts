import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import { recallTools } from "./index.ts";
import type { HistoryManager } from "./index.ts";

const THREAD = "thread-1";

/** Sources of all lengths: ids that say much, and ids that say little. */
const source = fc
  .nat({ max: 300 })
  .map((nth) => (nth % 3 === 0 ? `s${nth}` : `https://example.com/of-ada/${nth}`));

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ find: fc.array(source, { minLength: 1, maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ erase: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ keep: fc.nat({ max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ restart: fc.constant(true) }) },
);

describe("source numbers of what was erased", () => {
  it("are never given to another source, and nothing of it is left beside them (L6, L22)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const store = memoryStore();
        const options = managerOptions({ store });
        let history = createHistoryManager(options);
        const shown = new Map<number, string>();
        for (const one of steps) {
          if ("find" in one) await find(history, one.find, shown);
          else if ("erase" in one) await eraseOne(store, one.erase);
          else if ("keep" in one) await store.sweep({ maxEntries: one.keep });
          else history = createHistoryManager(options);
          expect(await leftInState(store)).toEqual([]);
        }
        await find(createHistoryManager(options), ["https://example.com/new"], shown);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("stay those of entries that a recall tool quoted, but for what was erased", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    const kept = await history.addUserMessage({ content: "A lighthouse in Bremen" });
    const gone = await history.addUserMessage({ content: "A lighthouse in Husum" });
    await history.addUserMessage({ content: "Which lighthouses do I know?" });
    const [search] = recallTools({ ...options, maxTokens: 5000 });
    const found = await search?.run({ query: "lighthouse" });
    const numberOf = ({ id }: { readonly id: string }): string =>
      `[source${found?.sources.find((one) => one.id === `entry:${id}`)?.number ?? 0}]`;
    const cited = numberOf(kept.message) + numberOf(gone.message);
    expect(cited).not.toContain("source0");
    await options.store.eraseEntries(THREAD, [gone.message.id]);
    const later = createHistoryManager(options);

    expect((await later.citedSources(cited)).map(({ text }) => text)).toEqual([
      "A lighthouse in Bremen",
    ]);
    expect(JSON.stringify(await options.store.listState(THREAD))).not.toContain(gone.message.id);
  });
});

let calls = 0;

/** A tool finds sources; a number that was shown for another one fails. */
async function find(
  history: HistoryManager,
  ids: readonly string[],
  shown: Map<number, string>,
): Promise<void> {
  const callId = `call-${(calls += 1)}`;
  await history.addUserMessage({ content: "?" });
  const { id } = await history.addToolCalls({
    toolCalls: [{ id: callId, name: "find", arguments: "" }],
  });
  const sources = ids.map((one) => ({ id: one, text: "text" }));
  const [result] = await history.addToolCallResults([
    { callId, actionId: id, toolName: "find", sources },
  ]);
  for (const { number, id: found } of result?.sources ?? []) {
    expect(shown.get(number) ?? found).toBe(found);
    shown.set(number, found);
  }
}

async function eraseOne(store: HistoryStore, nth: number): Promise<void> {
  try {
    const { entries } = await store.read(THREAD);
    const entry = entries[nth % entries.length];
    if (entry !== undefined) await store.eraseEntries(THREAD, [entry.id]);
  } catch (error) {
    if (!isHistoryError(error, "NOT_FOUND")) throw error;
  }
}

/** Sources that are in the state of a thread, and of no entry that was stored and is left. */
async function leftInState(store: HistoryStore): Promise<readonly string[]> {
  const { entries } = await store.read(THREAD, { originals: true });
  const inLog = new Set(
    entries
      .flatMap((entry) => ("sources" in entry ? (entry.sources ?? []) : []))
      .map(({ id }) => id),
  );
  const { items } = await store.listState(THREAD);
  const numbered = items.filter(({ key }) => key.includes("/sources/"));
  const texts = numbered.flatMap(
    ({ value }) => JSON.stringify(value).match(/s\d+|https:[^"]*/gu) ?? [],
  );
  return texts.filter((text) => !inLog.has(text));
}
