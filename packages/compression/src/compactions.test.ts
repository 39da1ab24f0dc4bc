import { applyCompactions, observation, action, userMessage } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../test-support/chat.ts";
import { addCompactions, expandCompaction, areStillValid } from "./compactions.ts";
import { compressHistory } from "./compress-history.ts";
import { chunked } from "./strategies.ts";

describe("addCompactions", () => {
  it("wants the log, not what a view shows of it", async () => {
    const first = await compacted(chat(4), "s1");
    const log = addCompactions(chat(4), first);
    const longer = [...log, ...chat(4, 6)];
    const second = await compacted(longer, "s2");
    const shown = applyCompactions(longer, "thread");
    expect(await codeOf(() => addCompactions(shown, second))).toBe("NOT_FOUND");
    expect(applyCompactions(addCompactions(longer, second), "thread").map(({ id }) => id)).toEqual([
      "s2",
      "u10",
    ]);
  });

  it("adds all of an outcome at once as one after the other, or none", async () => {
    const log = chat(12);
    let id = 0;
    const strategy = chunked({ size: 4 });
    const newId = (): string => `s${(id += 1)}`;
    const result = await compressHistory(log, { ...options, strategy, newId });
    if (result.outcome !== "compressed") throw new Error(result.outcome);
    const { compactions } = result;
    expect(compactions.length).toBeGreaterThan(3);
    const one = compactions.reduce<readonly HistoryEntry[]>(
      (some, compaction) => addCompactions(some, [compaction]),
      log,
    );
    expect(addCompactions(log, compactions)).toEqual(one);
    const twice = [...compactions, ...compactions.slice(0, 1)];
    expect(await codeOf(() => addCompactions(log, twice))).toBe("VERSION_CONFLICT");
    expect(addCompactions(log, [])).toBe(log);
  });

  it("refuses what would cut an exchange in two by now", async () => {
    const toolCalls = [{ id: "c", name: "read", arguments: "{}" }];
    const lost = action({ id: "x", toolCalls });
    const log = [userMessage({ id: "u0", content: "Read." }), lost, ...chat(4)];
    const made = await compacted(log, "s1");
    expect(made[0]?.summary.covers).toEqual([{ from: "u0", to: "a4" }]);
    const late = {
      id: "o",
      callId: "c",
      actionId: "x",
      toolName: "read",
      outcome: "success",
      content: "",
    } as const;
    expect(areStillValid(made, log)).toBe(true);
    expect(areStillValid(made, [...log, observation(late)])).toBe(false);
  });
});

describe("areStillValid", () => {
  it("holds where the log went on while the compaction was made", async () => {
    const log = [...chat(4)];
    const running = compacted(log, "s1");
    log.push(...chat(2, 6));
    const made = await running;
    expect(areStillValid(made, log)).toBe(true);
    const shown = applyCompactions(addCompactions(log, made), "thread");
    expect(shown.map(({ id }) => id)).toEqual(["s1", "u5", "u6", "a6", "u7", "a7", "u8"]);
  });

  it("does not hold where another came first, or the history was rewound", async () => {
    const log = chat(4);
    const [made, other] = [await compacted(log, "late"), await compacted(log, "s1")];
    const shorter = addCompactions(log, other);
    expect(areStillValid(made, shorter)).toBe(false);
    for (const one of [made, other])
      expect(await codeOf(() => addCompactions(shorter, one))).toBe("VERSION_CONFLICT");
    // What was covered is the newest question by now.
    expect(areStillValid(made, log.slice(0, 7))).toBe(false);
    expect(areStillValid(made, [])).toBe(false);
  });

  it("knows what came in between, and what was erased", async () => {
    const made = await compacted(chat(6), "s1");
    const late = userMessage({ id: "late", content: "Wait." });
    expect(areStillValid(made, [...chat(6), late])).toBe(true);
    expect(areStillValid(made, chat(6).toSpliced(2, 0, late))).toBe(false);
    expect(areStillValid(made, chat(6).toSpliced(2, 1))).toBe(false);
  });
});

describe("expandCompaction", () => {
  it("takes layers back from the top, and knows what is none", async () => {
    const first = await compacted(chat(4), "s1");
    const log = [...addCompactions(chat(4), first), ...chat(4, 6)];
    const twice = addCompactions(log, await compacted(log, "s2"));
    for (const id of ["s1", "u1", "nobody"]) {
      expect(await codeOf(() => expandCompaction(twice, id))).toBe("NOT_FOUND");
    }
    const once = expandCompaction(twice, "s2");
    expect(once).toEqual(log);
    expect(expandCompaction(once, "s1")).toEqual([...chat(4), ...chat(4, 6)]);
  });
});

async function compacted(log: readonly HistoryEntry[], id: string): Promise<readonly Compaction[]> {
  const result = await compressHistory(log, { ...options, newId: () => id });
  if (result.outcome !== "compressed") throw new Error(result.outcome);
  return result.compactions;
}
