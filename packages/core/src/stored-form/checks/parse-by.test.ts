import { describe, expect, it } from "vitest";

import { HistoryError } from "../../history-error.ts";
import { refuse } from "./check.ts";
import type { Check } from "./check.ts";
import { listCheck } from "./list-checks.ts";
import { recordCheck } from "./object-checks.ts";
import { parseBy } from "./parse-by.ts";
import { booleanCheck, numberCheck, textCheck } from "./scalar-checks.ts";

const nothingCheck: Check<never> = (value, refusal) => refuse(refusal, "Expected nothing", value);

function refusalOf<Value>(check: Check<Value>, value: unknown): HistoryError {
  try {
    parseBy(check, value);
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("parseBy", () => {
  it("names the first failure, in the order of the check", () => {
    const check = recordCheck<{ readonly a: string; readonly b: boolean }>({
      a: textCheck,
      b: booleanCheck,
    });

    expect(refusalOf(check, { b: 2, a: 1 }).message).toBe(
      "Expected a string at `a`; got a number.",
    );
  });

  it("says which entry it is, and the way to what failed", () => {
    const check = recordCheck<{ readonly list: readonly { readonly n: number }[] }>({
      list: listCheck(recordCheck<{ readonly n: number }>({ n: numberCheck })),
    });
    const error = refusalOf(check, { id: "e1", type: "t", list: [{ n: 0 }, { n: ["secret"] }] });

    expect(error.message).toBe('Expected a finite number at `list.1.n` of entry "e1"; got a list.');
    expect(error.details).toEqual({ path: "list.1.n", entryId: "e1", entryType: "t" });
  });

  it("refuses what throws when it is read, and does not say what it threw", () => {
    const check = recordCheck<{ readonly a: string }>({ a: textCheck });
    const throwing = {
      get a(): string {
        throw new Error("a secret");
      },
    };
    const error = refusalOf(check, throwing);

    expect(error.code).toBe("INVALID_ENTRY");
    expect(error.message).toContain("got what cannot be read");
    expect(error.cause).toBe(undefined);
  });

  it("lets no error of the value pass, whatever it calls itself", () => {
    const theirs = new HistoryError("a secret", { code: "NOT_FOUND" });
    const throwing = {
      get a(): string {
        throw theirs;
      },
    };
    const unnamed = {
      a: 1,
      get id(): string {
        throw theirs;
      },
    };
    const check = recordCheck<{ readonly a: string }>({ a: textCheck });

    for (const value of [throwing, unnamed]) {
      const error = refusalOf(check, value);

      expect(error.code).toBe("INVALID_ENTRY");
      expect(error.message).toContain("got what cannot be read");
      expect(error.cause).toBe(undefined);
    }
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["", "an empty string"],
    ["text", "a string"],
    [0, "a number"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [true, "a boolean"],
    [[], "an empty list"],
    [[1], "a list"],
    [{}, "an object"],
    [new Date(0), "an object"],
    [() => 0, "a function"],
  ])("says of %j that it got %s", (value, kind) => {
    expect(refusalOf(nothingCheck, value).message).toBe(`Expected nothing; got ${kind}.`);
  });
});
