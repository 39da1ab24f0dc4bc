import { applyCompactions } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../test-support/chat.ts";
import { goodModel } from "../test-support/model-zoo.ts";
import { addCompactions, areStillValid } from "./compactions.ts";
import { compressHistory, startCompression } from "./compress-history.ts";

describe("startCompression", () => {
  it("gives a compaction that holds for a history that went on", async () => {
    const log = [...chat(4)];
    const { result } = startCompression(log, options);
    log.push(...chat(2, 6));
    const made = await result;
    if (made.outcome !== "compressed") throw new Error(made.outcome);
    expect(areStillValid(made.compactions, log)).toBe(true);
    const shown = applyCompactions(addCompactions(log, made.compactions), "thread");
    expect(shown.map(({ id }) => id)).toEqual(["s1", "u5", "u6", "a6", "u7", "a7", "u8"]);
  });

  it("gives one that is dropped where another came first, or the history was rewound", async () => {
    const log = chat(4);
    const made = await startCompression(log, { ...options, newId: () => "late" }).result;
    const other = await compressHistory(log, options);
    if (made.outcome !== "compressed" || other.outcome !== "compressed") throw new Error("failed");
    const compacted = addCompactions(log, other.compactions);
    expect(areStillValid(made.compactions, compacted)).toBe(false);
    expect(await codeOf(() => addCompactions(compacted, made.compactions))).toBe(
      "VERSION_CONFLICT",
    );
    // What was covered is the newest question by now.
    expect(areStillValid(made.compactions, log.slice(0, 7))).toBe(false);
    expect(areStillValid(made.compactions, [])).toBe(false);
    expect(await codeOf(() => addCompactions(compacted, other.compactions))).toBe(
      "VERSION_CONFLICT",
    );
  });

  it("never rejects: an abort is a failure that counts as none", async () => {
    const state = { failures: 2 };
    const hanging = {
      ...options,
      state,
      model: () => new Promise<string>(() => {}),
      timeoutMs: Infinity,
    };
    const running = startCompression(chat(4), hanging);
    running.abort();
    expect(await running.result).toMatchObject({
      outcome: "failed",
      error: { code: "ABORTED" },
      state,
    });
    const controller = new AbortController();
    const led = startCompression(chat(4), { ...hanging, signal: controller.signal });
    controller.abort();
    expect(await led.result).toMatchObject({ outcome: "failed", error: { code: "ABORTED" } });
    const never = startCompression(chat(4), { ...hanging, signal: AbortSignal.abort() });
    expect(await never.result).toMatchObject({ outcome: "failed", error: { code: "ABORTED" } });
  });

  it("does not notice an abort once it is done", async () => {
    const running = startCompression(chat(4), { ...options, model: goodModel });
    const { outcome } = await running.result;
    running.abort();
    expect([outcome, (await running.result).outcome]).toEqual(["compressed", "compressed"]);
  });

  it("refuses bad options at once", async () => {
    expect(await codeOf(() => startCompression(chat(4), { ...options, maxTokens: 0 }))).toBe(
      "INVALID_OPTION",
    );
  });
});
