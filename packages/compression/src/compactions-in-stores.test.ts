import {
  action,
  assistantMessage,
  isHistoryError,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { goodModel } from "../test-support/model-zoo.ts";
import { counter } from "../test-support/quarter-counter.ts";
import { storeKinds } from "../test-support/store-kinds.ts";
import { commitCompactions } from "./compactions.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";
import { chunked } from "./strategies.ts";

const OPTIONS: CompressOptions = { counter, model: goodModel, tailTokens: 0 };
const QUERY = { clauses: [{}], view: "thread" } as const;

describe.each(storeKinds)("compactions in a store: $name", ({ open }) => {
  it("are three layers deep, and give the originals back byte for byte after a restart (L11)", async () => {
    const { store, restart } = await open();
    const appended: HistoryEntry[] = [];
    const shownBefore: string[] = [];
    const ids: string[] = [];
    for (let layer = 0; layer < 3; layer++) {
      const turns = turnsOf(layer);
      appended.push(...turns);
      await store.append("t", turns);
      shownBefore.push(await shownBy(store));
      ids.push(...(await compressIn(store)));
    }
    expect(ids).toHaveLength(3);

    // A store writes the fields of an entry in an order of its own, once, and names its turn.
    const written = await originalsIn(store);
    expect(written).toMatchObject(appended);

    const again = await restart();
    expect((await again.read("t", { query: QUERY })).entries.map(({ id }) => id)).toEqual([
      "s-0",
      ids[2],
      "u-2-3",
    ]);
    for (const id of ids.toReversed()) {
      await again.expand("t", id);
      // What was shown before that layer, and what was appended since.
      const before: readonly HistoryEntry[] = JSON.parse(shownBefore.pop() ?? "");
      const since = written.slice(written.findIndex((entry) => entry.id === before.at(-1)?.id) + 1);
      expect(await shownBy(again)).toBe(JSON.stringify([...before, ...since]));
    }
    expect(await shownBy(again)).toBe(JSON.stringify(written));
    expect(JSON.stringify(await originalsIn(again))).toBe(JSON.stringify(written));
    await again.close();
  });

  it("are made by one of two at once; the other is told, and nothing is lost", async () => {
    const { store } = await open();
    await store.append("t", turnsOf(0));
    const before = await store.read("t", { query: QUERY });
    const tries = await Promise.all(
      ["one", "two"].map(async (id) => {
        const result = await compressHistory(before.entries, { ...OPTIONS, newId: () => id });
        if (result.outcome !== "compressed") throw new Error(result.outcome);
        const { compactions } = result;
        const { viewRevision: expectedViewRevision } = before;
        return commitCompactions(store, "t", compactions, { expectedViewRevision }).then(
          () => "committed",
          (error: unknown) =>
            isHistoryError(error) ? `${error.code} ${String(error.details["committed"])}` : "?",
        );
      }),
    );
    expect(tries.toSorted()).toEqual(["VERSION_CONFLICT 0", "committed"]);
    const { entries } = await store.read("t", { query: QUERY });
    expect(entries.filter(({ type }) => type === "summary")).toHaveLength(1);
    await store.expand("t", entries.find(({ type }) => type === "summary")?.id ?? "");
    expect(await shownBy(store)).toBe(JSON.stringify(before.entries));
    await store.close();
  });

  it("keep what is appended while they are made in the background", async () => {
    const { store } = await open();
    await store.append("t", turnsOf(0));
    const { entries, viewRevision } = await store.read("t", { query: QUERY });
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const running = compressHistory(entries, {
      ...OPTIONS,
      model: async (request) => {
        await asked;
        return goodModel(request);
      },
    });
    await store.append("t", turnsOf(1));
    answer();
    const result = await running;
    if (result.outcome !== "compressed") throw new Error(result.outcome);
    await commitCompactions(store, "t", result.compactions, { expectedViewRevision: viewRevision });
    const after = await store.read("t", { query: QUERY });
    expect(after.entries.map(({ id }) => id)).toEqual([
      "s-0",
      result.compaction.summary.id,
      "u-0-3",
      ...turnsOf(1).map(({ id }) => id),
    ]);
    await store.close();
  });

  it("are committed in order where there are several", async () => {
    const { store } = await open();
    await store.append("t", turnsOf(0));
    const { entries, viewRevision } = await store.read("t", { query: QUERY });
    const result = await compressHistory(entries, { ...OPTIONS, strategy: chunked({ size: 5 }) });
    if (result.outcome !== "compressed") throw new Error(result.outcome);
    expect(result.compactions).toHaveLength(3);
    const { compactions } = result;
    const committed = await commitCompactions(store, "t", compactions, {
      expectedViewRevision: viewRevision,
    });
    expect(committed.viewRevision).toBe(viewRevision + 3);
    const shown = (await store.read("t", { query: QUERY })).entries;
    const ids = result.compactions.map(({ summary }) => summary.id);
    expect(shown.map(({ id }) => id)).toEqual(["s-0", ...ids, "u-0-3"]);
    await store.close();
  });
});

async function compressIn(store: HistoryStore): Promise<readonly string[]> {
  const { entries, viewRevision } = await store.read("t", { query: QUERY });
  const result = await compressHistory(entries, OPTIONS);
  if (result.outcome !== "compressed") throw new Error(result.outcome);
  await commitCompactions(store, "t", result.compactions, { expectedViewRevision: viewRevision });
  return result.compactions.map(({ summary }) => summary.id);
}

async function originalsIn(store: HistoryStore): Promise<readonly HistoryEntry[]> {
  return (await store.read("t", { originals: true })).entries;
}

async function shownBy(store: HistoryStore): Promise<string> {
  return JSON.stringify((await store.read("t", { query: QUERY })).entries);
}

/** A system message in the first, three turns with a call each, and a question. */
function turnsOf(layer: number): readonly HistoryEntry[] {
  const marks = { createdAtMs: layer };
  const turns = [0, 1, 2].flatMap((turn) => {
    const name = `${layer}-${turn}`;
    const call = { id: "c", name: "read", arguments: `{"path":"src/${name}.ts"}` };
    return [
      userMessage({
        ...marks,
        id: `u-${name}`,
        content: `What of ${name}? ${"é漢😀 ".repeat(20)}`,
      }),
      action({ ...marks, id: `x-${name}`, toolCalls: [call] }),
      observation({
        ...marks,
        id: `o-${name}`,
        callId: "c",
        toolName: "read",
        outcome: "success",
        content: `line of ${name}\n`.repeat(20),
      }),
      assistantMessage({ ...marks, id: `a-${name}`, content: `It is ${name}.` }),
    ];
  });
  const question = userMessage({ ...marks, id: `u-${layer}-3`, content: "And now?" });
  const system = systemMessage({ ...marks, id: `s-${layer}`, content: "Be brief." });
  return [...(layer === 0 ? [system] : []), ...turns, question];
}
