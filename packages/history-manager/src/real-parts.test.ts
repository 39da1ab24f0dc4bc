import { createCompressor } from "@agent-history/compression";
import { checkHistory } from "@agent-history/core/check";
import { followUpQuestionCleaner, historyCleaner } from "@agent-history/postprocess";
import { createReducer } from "@agent-history/reducer";
import { sqliteStore } from "@agent-history/store-sqlite";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager } from "./index.ts";

const WINDOW = { contextTokens: 1200, outputReserveTokens: 200 };

describe("a manager made of the real parts", () => {
  it("answers many turns within a small window, compresses, and keeps what was cited", async () => {
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const store = sqliteStore({ path: ":memory:" });
    const history = createHistoryManager(
      managerOptions({
        store,
        counter,
        window: WINDOW,
        reducer: createReducer({ counter }),
        compressor: createCompressor({ counter }),
        cleaner: historyCleaner({ cleaners: [followUpQuestionCleaner()] }),
      }),
    );
    const outcomes: string[] = [];
    for (let turn = 1; turn <= 12; turn++) {
      await answer(history, turn);
      if (turn % 4 === 0) outcomes.push((await history.compress()).outcome);
    }
    const { entries } = await history.read(undefined, { originals: true });

    expect(outcomes).toContain("compressed");
    expect(checkHistory(entries)).toEqual([]);
    expect((await history.citedSources("[source1]")).map(({ id }) => id)).toEqual(["doc-1"]);
    await store.close();
  });
});

async function answer(history: HistoryManager, turn: number): Promise<void> {
  await history.addUserMessage({ content: `Question ${turn}: what does file ${turn} say?` });
  const call = { id: "call-1", name: "read", arguments: `{"path":"${turn}.md"}` };
  const { id: actionId } = await history.addToolCalls({ toolCalls: [call] });
  const text = `Line of ${turn}.md about rivers, tides and rain. `.repeat(8);
  const sources = [turn, turn + 100].map((number) => ({ id: `doc-${number}`, text }));
  await history.addToolCallResults([{ callId: call.id, toolName: "read", actionId, sources }]);
  const { entries, counts } = await history.historyForModelCall({ systemMessage: "Answer." });
  const added = "<follow-up-question>More?</follow-up-question>";
  await history.addAssistantMessage({
    content: `File ${turn} says so [source${2 * turn - 1}]. ${added}`,
  });

  expect(counts.shownTokens).toBeLessThanOrEqual(1000);
  expect(JSON.stringify(entries)).not.toContain("follow-up-question");
  expect(entries.at(-1)).toMatchObject({ type: "observation", actionId });
}
