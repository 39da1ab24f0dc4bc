import { describe, expect, it } from "vitest";

import { throwIfAborted } from "./throw-if-aborted.ts";

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
