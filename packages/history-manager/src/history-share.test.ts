import { describe, expect, it } from "vitest";

import { contentOf } from "../test-support/character-counter.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManagerOptions } from "./history-manager-options.ts";

describe("maxHistoryShare", () => {
  it("shows the last turns before the newest that fit the share, whole", async () => {
    const shown = await promptOf({ maxHistoryShare: 0.2, window: { contextTokens: 1000 } }, 12);
    const earlier = shown.slice(1, -1);

    expect(shown.at(-1)).toBe("question 12");
    expect(earlier.length).toBeGreaterThan(0);
    expect(earlier.length % 2).toBe(0);
    expect(earlier[0]).toMatch(/^question/u);
    expect(earlier.join("").length).toBeLessThanOrEqual(200);
  });

  it("drops several turns at a time, so that the prompt's beginning lasts", async () => {
    const options = { maxHistoryShare: 0.2, window: { contextTokens: 2000 } };
    const firsts: (string | undefined)[] = [];
    for (let turns = 20; turns < 40; turns++) firsts.push((await promptOf(options, turns))[1]);
    const changes = firsts.filter((first, index) => index > 0 && first !== firsts[index - 1]);

    expect(changes.length).toBeLessThan(12);
    expect(changes.length).toBeGreaterThan(2);
  });

  it("shows none with 0, all with 1, and instructions, memories and pins in any case", async () => {
    const window = { contextTokens: 100_000 };
    expect(await promptOf({ maxHistoryShare: 0, window }, 3)).toEqual(["Be brief.", "question 3"]);
    expect(await promptOf({ maxHistoryShare: 1, window }, 3)).toHaveLength(6);
    const options = managerOptions({ maxHistoryShare: 0, window });
    const history = createHistoryManager(options);
    await history.addUserMessage({ content: "first" });
    await history.addMemory({ content: "lives in Rome" });
    await history.addAssistantMessage({ content: "pinned", pinned: true });
    await history.addUserMessage({ content: "second" });
    const { entries } = await history.historyForModelCall({ systemMessage: "Be brief." });
    expect(entries.map(contentOf)).toEqual(["Be brief.", "lives in Rome", "pinned", "second"]);
  });

  it("says nothing of the running turn, however long it is", async () => {
    const history = createHistoryManager(managerOptions({ maxHistoryShare: 0.1 }));
    await history.addUserMessage({ content: "question" });
    for (const content of ["a".repeat(2000), "b".repeat(2000)]) {
      await history.addAssistantMessage({ content });
    }
    const { entries } = await history.historyForModelCall({ systemMessage: "" });
    expect(entries).toHaveLength(4);
  });

  for (const share of [-0.1, 1.1, Number.NaN, "1", null, true]) {
    it(`refuses ${share} of type ${typeof share}`, () => {
      const options = Object.assign(managerOptions(), { maxHistoryShare: share });
      expect(() => createHistoryManager(options)).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    });
  }
});

async function promptOf(
  given: Partial<HistoryManagerOptions>,
  turns: number,
): Promise<readonly string[]> {
  const history = createHistoryManager(managerOptions(given));
  for (let turn = 1; turn < turns; turn++) {
    await history.addUserMessage({ content: `question ${turn}` });
    await history.addAssistantMessage({ content: `answer ${turn}, which is longer` });
  }
  await history.addUserMessage({ content: `question ${turns}` });
  const { entries } = await history.historyForModelCall({ systemMessage: "Be brief." });
  return entries.map(contentOf);
}
