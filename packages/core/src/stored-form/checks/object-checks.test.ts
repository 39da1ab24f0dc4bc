import { describe, expect, expectTypeOf, it } from "vitest";

import { noRefusal, REFUSED, validCopy } from "./check.ts";
import type { Check } from "./check.ts";
import { listCheck, pairCheck } from "./list-checks.ts";
import { kindsCheck, optionalField, recordCheck, sealedCheck } from "./object-checks.ts";
import type { FieldChecks } from "./object-checks.ts";
import {
  countCheck,
  integerCheck,
  literalCheck,
  numberCheck,
  oneOfCheck,
  textCheck,
} from "./scalar-checks.ts";

interface Sample {
  readonly name: string;
  readonly kind?: "old" | "new";
}

const kind = oneOfCheck(["old", "new"], "Expected old or new");
const fields: FieldChecks<Sample> = { name: textCheck, kind: optionalField(kind) };
const sealed = sealedCheck<Sample>(fields);
const record = recordCheck<Sample>(fields);

function refusalOf<Value>(check: Check<Value>, value: unknown): string {
  const refusal = noRefusal();
  expect(check(value, refusal)).toBe(REFUSED);
  return [refusal.path.join("."), refusal.message, refusal.received].join(" | ");
}

type Takes<Given, Wanted> = [Given] extends [Wanted] ? true : false;

// The compiler is the test here (`pnpm check`): at run time `expectTypeOf` holds whatever it is given.
describe("Check", () => {
  it("of one type is none of a wider or a narrower one", () => {
    expectTypeOf<Takes<typeof kind, Check<"old" | "new">>>().toEqualTypeOf<true>();
    expectTypeOf<Takes<typeof kind, Check<"old" | "new" | "newest">>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<typeof kind, Check<"old">>>().toEqualTypeOf<false>();
    expectTypeOf<Takes<typeof kind, Check<string>>>().toEqualTypeOf<false>();
  });

  it("of an object has the check of each field, optional where the field is, and no other", () => {
    expectTypeOf<Takes<{ readonly name: Check<string> }, typeof fields>>().toEqualTypeOf<false>();
    expectTypeOf<FieldChecks<Sample>["name"]>().toEqualTypeOf<Check<string>>();
    expectTypeOf<Takes<typeof kind, FieldChecks<Sample>["kind"]>>().toEqualTypeOf<false>();
    expectTypeOf<keyof FieldChecks<Sample>>().toEqualTypeOf<"name" | "kind">();
  });
});

describe("sealedCheck", () => {
  it("copies in the order of its fields, and freezes", () => {
    const given = { kind: "old", name: "a" };
    const copy = validCopy(sealed, given);

    expect(JSON.stringify(copy)).toBe('{"name":"a","kind":"old"}');
    expect(Object.isFrozen(copy)).toBe(true);
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("says which field failed first, in its own order", () => {
    expect(refusalOf(sealed, { kind: "b", name: 1 })).toBe("name | Expected a string | a number");
    expect(refusalOf(sealed, { name: "a", kind: undefined, secret: 1 })).toBe(
      "kind | Expected old or new | undefined",
    );
    expect(refusalOf(sealed, { kind: undefined })).toBe("name | Expected a string | undefined");
  });

  it("counts unknown fields and names none, also where one takes the place of a hidden one", () => {
    const unknown = " | Expected no field beside name, kind | 1 more";
    const hidden = Object.defineProperty({ secret: 1 }, "name", { value: "a" });

    expect(refusalOf(sealed, { name: "a", secret: undefined })).toBe(unknown);
    expect(refusalOf(sealed, hidden)).toBe(unknown);
    expect(refusalOf(sealed, Object.setPrototypeOf({ name: "a" }, { secret: 1 }))).toBe(unknown);
    expect(refusalOf(sealed, JSON.parse('{"name":"a","__proto__":1}'))).toBe(unknown);
  });
});

describe("recordCheck", () => {
  it("leaves out what it does not name, unread", () => {
    const given = {
      name: "a",
      get secret(): never {
        return expect.fail();
      },
    };

    expect(validCopy(record, given)).toEqual({ name: "a" });
    expect(refusalOf(record, [])).toBe(" | Expected an object | an empty list");
  });
});

describe("kindsCheck", () => {
  it("chooses by a field, which no prototype of the table answers", () => {
    type Shape = { readonly is: "a"; readonly n: number } | { readonly is: "b" };
    const check = kindsCheck<Shape, "is">(
      "is",
      {
        a: recordCheck<Extract<Shape, { is: "a" }>>({ is: literalCheck("a"), n: numberCheck }),
        b: recordCheck<Extract<Shape, { is: "b" }>>({ is: literalCheck("b") }),
      },
      { object: "Expected a shape", kind: "Expected a or b" },
    );

    expect(validCopy(check, { is: "a", n: 1.5 })).toEqual({ is: "a", n: 1.5 });
    expect(refusalOf(check, { is: "a" })).toBe("n | Expected a finite number | undefined");
    expect(refusalOf(check, { is: "constructor" })).toBe("is | Expected a or b | a string");
    expect(refusalOf(check, "a")).toBe(" | Expected a shape | a string");
  });
});

describe("listCheck and pairCheck", () => {
  it("take whole lists only, and never an iterator of the list's own", () => {
    const check = listCheck(pairCheck(textCheck, countCheck), { least: 1 });
    const endless = Object.assign([["a", 0]], { [Symbol.iterator]: () => expect.fail() });

    expect(validCopy(check, endless)).toEqual([["a", 0]]);
    expect(refusalOf(check, [])).toBe(" | Expected a list | an empty list");
    expect(refusalOf(check, [["a", 0], ["b"]])).toBe("1 | Expected a list of two | a list");
    expect(refusalOf(check, [["a", -1]])).toBe("0.1 | Expected an integer of 0 or more | a number");
    expect(refusalOf(check, Array(3))).toBe("0 | Expected a list of two | undefined");
  });
});

describe("integerCheck", () => {
  it("takes safe integers from the least one to the greatest, and turns -0 into 0", () => {
    const check = integerCheck({ least: -1, most: 3, message: "Expected -1 to 3" });

    expect([-1, -0, 3].map((value) => validCopy(check, value))).toStrictEqual([-1, 0, 3]);
    for (const value of [-2, 4, 0.5, Number.NaN, "1", 2n, null]) {
      expect(validCopy(check, value)).toBe(undefined);
    }
  });
});

describe("validCopy", () => {
  it("gives nothing for what throws when it is read", () => {
    const throwing = Object.defineProperty({}, "name", { get: () => expect.fail() });

    expect(validCopy(record, throwing)).toBe(undefined);
  });
});
