import { assistantMessage, isHistoryError, userMessage } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { threadStep } from "./thread-step.ts";
import type { StepInput, StepOutput } from "./thread-step.ts";

const begun = { threadId: "t1", version: 0 };
let runs = 0;
const answer = async ({ entries }: StepInput): Promise<StepOutput> => {
  runs += 1;
  const content = `Answer ${runs} to ${entries.length}`;
  return { entries: [userMessage({ content: "Go on." }), assistantMessage({ content })] };
};

describe("threadStep", () => {
  it("adds what a step says once, however often and wherever the step is run", async () => {
    const store = memoryStore();
    const once = await threadStep(store, begun, "w/0", answer);
    const next = await threadStep(store, once, "w/1", answer);
    const both = await Promise.all([
      threadStep(store, next, "w/2", answer),
      threadStep(store, next, "w/2", answer),
    ]);

    expect(next).toEqual({ threadId: "t1", version: 4 });
    expect(both).toEqual([
      { threadId: "t1", version: 6 },
      { threadId: "t1", version: 6 },
    ]);
    // After a crash the engine has no result of a step, and the thread has: nobody is asked again.
    const asked = runs;
    expect(await threadStep(store, begun, "w/0", answer)).toEqual(once);
    expect(await threadStep(store, once, "w/1", answer)).toEqual(next);
    expect(runs).toBe(asked);
    const { entries } = await store.read("t1");
    expect(entries.map(({ id }) => id)).toEqual([
      "w/0:0",
      "w/0:1",
      "w/1:0",
      "w/1:1",
      "w/2:0",
      "w/2:1",
    ]);
  });

  it("refuses a step on a thread that has moved on without it", async () => {
    const store = memoryStore();
    await threadStep(store, begun, "w/0", answer);

    await expect(threadStep(store, begun, "v/0", answer)).rejects.toSatisfy((error: unknown) =>
      isHistoryError(error, "VERSION_CONFLICT"),
    );
    const moved = async (input: StepInput): Promise<StepOutput> => {
      await store.append("t1", [userMessage({ content: "I was faster." })]);
      return answer(input);
    };
    const at = { threadId: "t1", version: 2 };
    await expect(threadStep(store, at, "w/1", moved)).rejects.toSatisfy((error: unknown) =>
      isHistoryError(error, "VERSION_CONFLICT"),
    );
    expect((await store.read("t1")).entries).toHaveLength(3);
  });
});
