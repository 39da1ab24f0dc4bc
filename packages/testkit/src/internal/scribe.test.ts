import { describe, expect, it } from "vitest";

import { newScribe } from "./scribe.ts";

const NOTATION = {
  names: [],
  clockErrorsMs: [0],
  sources: [],
  marks: { turnId: [true], phaseId: [true], taskId: [true], agent: [true] },
};

describe("newScribe", () => {
  it("gives no id twice, even where an odd name looks like a plain one", () => {
    const scribe = newScribe({ ...NOTATION, names: ["e4", "turn-2", "agent-3"] });
    const { orchestrator, managers, workers } = scribe.cast;
    const entryIds = Array.from({ length: 20 }, () => scribe.stamp({}, undefined, {}).id);
    const turnIds = Array.from({ length: 5 }, () => scribe.newTurnId());
    const agentIds = [orchestrator, ...managers, ...workers].map(({ id }) => id);

    for (const ids of [entryIds, turnIds, agentIds]) expect(new Set(ids).size).toBe(ids.length);
    expect(entryIds).toContain("e4");
    expect(turnIds).toContain("turn-2");
    expect(agentIds).toContain("agent-3");
  });

  it("gives no more room than there is", () => {
    const scribe = newScribe(NOTATION);
    scribe.allow(3);

    expect([scribe.take(2), scribe.take(2), scribe.take(1), scribe.take(1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
