import { describe, expect, it } from "vitest";

import { countOption, throwIfAborted } from "./history-error.ts";

describe("countOption", () => {
  for (const value of [0, 1, 2 ** 53, Infinity]) {
    it(`gives ${value} back`, () => {
      expect(countOption("turns", value)).toBe(value);
    });
  }

  for (const value of [-1, 0.5, NaN, -Infinity, "8", null, undefined, 8n]) {
    it(`refuses ${typeof value} ${String(value)}, and names the option`, () => {
      expect(() => countOption("turns", value)).toThrowError(
        expect.objectContaining({
          code: "INVALID_OPTION",
          message: expect.stringContaining("`turns`"),
          details: expect.objectContaining({ option: "turns" }),
        }),
      );
    });
  }

  it("does not quote what is no number", () => {
    expect(() => countOption("turns", "SECRET")).toThrowError(/got string/u);
    expect(() => countOption("turns", "SECRET")).not.toThrowError(/SECRET/u);
  });
});

describe("throwIfAborted", () => {
  it("lets a call go on that has no signal, or one that has not fired", () => {
    expect(() => throwIfAborted(undefined)).not.toThrow();
    expect(() => throwIfAborted(new AbortController().signal)).not.toThrow();
  });

  it("throws under our code, with the signal's reason as the cause", () => {
    const reason = new Error("The user left.");

    expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(
      expect.objectContaining({ code: "ABORTED", cause: reason }),
    );
  });
});
