import { describe, expect, it } from "vitest";

import { isLinearizable } from "../../test-support/oracle/is-linearizable.ts";
import type { RegisterCall, RegisterOutcome } from "../../test-support/oracle/is-linearizable.ts";

const call = (begunAt: number, endedAt: number, outcome: RegisterOutcome): RegisterCall => ({
  begunAt,
  endedAt,
  outcome,
});
const written = (expected: number, value = "a") => ({ kind: "written", expected, value }) as const;
const unknown = (expected: number, value = "a") => ({ kind: "unknown", expected, value }) as const;
const read = (revision: number, value: string) => ({ kind: "read", revision, value }) as const;
const refused = (expected: number) => ({ kind: "refused", expected }) as const;

describe("isLinearizable", () => {
  it.each<[what: string, calls: readonly RegisterCall[]]>([
    ["nothing", []],
    ["writes one after another", [call(1, 2, written(0)), call(3, 4, written(1))]],
    ["a read beside a write, of before it", [call(1, 4, written(0)), call(2, 3, read(0, ""))]],
    ["one refused beside the other", [call(1, 4, written(0)), call(2, 3, refused(0))]],
    ["a lost write that was done", [call(1, Infinity, unknown(0, "b")), call(5, 6, read(1, "b"))]],
    ["a lost write that was not", [call(1, Infinity, unknown(0, "b")), call(5, 6, read(0, ""))]],
    [
      "a lost write that is done late",
      [call(1, Infinity, unknown(1)), call(2, 3, read(1, "x")), call(0, 1, written(0, "x"))],
    ],
  ])("takes %s", (_what, calls) => {
    expect(isLinearizable(calls)).toBe(true);
  });

  it.each<[what: string, calls: readonly RegisterCall[]]>([
    ["two who won one revision", [call(1, 4, written(0)), call(2, 3, written(0))]],
    ["a read of before a write that had ended", [call(1, 2, written(0)), call(3, 4, read(0, ""))]],
    ["a refusal without a reason", [call(1, 2, refused(0))]],
    ["a value that nobody wrote", [call(1, 2, written(0, "a")), call(3, 4, read(1, "b"))]],
    [
      "a lost write that was done and undone",
      [call(1, Infinity, unknown(0, "b")), call(5, 6, read(1, "b")), call(7, 8, read(0, ""))],
    ],
  ])("refuses %s", (_what, calls) => {
    expect(isLinearizable(calls)).toBe(false);
  });
});
