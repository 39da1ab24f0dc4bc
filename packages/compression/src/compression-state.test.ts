import type { JsonValue, SummaryModel } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, options } from "../test-support/chat.ts";
import { goodModel } from "../test-support/model-zoo.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressionResult } from "./compress-options.ts";
import { readState } from "./compression-state.ts";

describe("the state of a compression", () => {
  it("opens after failures in a row, half-opens when the history has grown, and closes after a success (L12)", async () => {
    const { model, asked } = counted(async () => "");
    const results: CompressionResult[] = [];
    const next = async (turns: number, writer = model): Promise<string> => {
      // As a store would give it back.
      const state: JsonValue = JSON.parse(JSON.stringify(results.at(-1)?.state ?? null));
      results.push(
        await compressHistory(chat(turns), { ...options, model: writer, maxAttempts: 1, state }),
      );
      const last = results.at(-1);
      return last?.outcome === "not-needed" ? last.cause : (last?.outcome ?? "");
    };
    expect([await next(10), await next(10), await next(10)]).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    expect(asked()).toBe(3);
    expect([await next(10), await next(10)]).toEqual(["cooling-down", "cooling-down"]);
    expect(asked()).toBe(3);
    // Of the 1000 tokens that could be covered a tenth must be new: one answer is not enough, two are.
    expect([await next(11), await next(12)]).toEqual(["cooling-down", "failed"]);
    expect(asked()).toBe(4);
    expect(await next(12)).toBe("cooling-down");
    expect(await next(14, goodModel)).toBe("compressed");
    expect(results.at(-1)?.state).toEqual({ failures: 0 });
  });

  it("waits for growth after what did not pay, at once (L12)", async () => {
    const small = { ...options, minSavedShare: 0.95 };
    const first = await compressHistory(chat(3), small);
    expect(first.outcome).toBe("not-beneficial");
    const { state } = first;
    expect(state).toEqual({ failures: 0, wait: { afterId: "u4", growTokens: 30 } });
    const again = await compressHistory(chat(3), { ...small, state });
    expect(again).toMatchObject({ outcome: "not-needed", cause: "cooling-down" });
    expect(again.state).toEqual(state);
    expect((await compressHistory(chat(4), { ...small, state })).outcome).toBe("not-beneficial");
  });

  it("is free again where another compaction took away what was newest", async () => {
    const state = { failures: 3, wait: { afterId: "gone", growTokens: 1000 } };
    expect((await compressHistory(chat(3), { ...options, state })).outcome).toBe("compressed");
  });

  it("does not count an abort as a failure", async () => {
    const { model } = counted(async () => "");
    const once = { ...options, model, maxFailures: 1, maxAttempts: 1 };
    const failed = await compressHistory(chat(3), once);
    expect(failed.state).toMatchObject({ failures: 1, wait: { afterId: "u4" } });
  });

  it.each<[JsonValue | undefined]>([
    [undefined],
    [null],
    [7],
    ["x"],
    [[]],
    [{}],
    [{ failures: -1 }],
    [{ failures: "3" }],
  ])("begins anew from %j", (value) => {
    expect(readState(value)).toEqual({ failures: 0 });
  });

  it.each<[JsonValue]>([[3], [null], [{}], [{ afterId: 3, growTokens: 1 }], [{ afterId: "x" }]])(
    "is free where its wait is %j",
    (wait) => {
      expect(readState({ failures: 2, wait })).toEqual({ failures: 2 });
    },
  );
});

function counted(model: SummaryModel): {
  readonly model: SummaryModel;
  readonly asked: () => number;
} {
  let count = 0;
  return {
    model: (request) => {
      count += 1;
      return model(request);
    },
    asked: () => count,
  };
}
