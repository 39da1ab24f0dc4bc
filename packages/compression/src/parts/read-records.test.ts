import { describe, expect, it } from "vitest";

import { readRecords } from "./read-records.ts";

function told(
  data: unknown,
  named?: { readonly label: string; readonly name: string },
): readonly string[] {
  return readRecords(data, named).map(({ label, name = "-", parent = "-", fields }) =>
    [label, name, parent, ...fields.map(({ key, value }) => `${key}=${value}`)].join(" "),
  );
}

describe("readRecords", () => {
  it("keeps the fields of an object together, under what names it", () => {
    expect(
      told([
        { flight_number: "HAT170", date: "2024-05-20", prices: { economy: 152, business: 300 } },
        { flight_number: "HAT229", date: "2024-05-21", prices: { economy: 99 } },
      ]),
    ).toEqual([
      "flight HAT170 - date=2024-05-20 prices economy=152 prices business=300",
      "flight HAT229 - date=2024-05-21 prices economy=99",
    ]);
  });

  it("names an object in another by both, and one without a name by the call that asked for it", () => {
    const data = {
      name: { first_name: "Ann", last_name: "Li" },
      payment_methods: { card_1: { source: "card", last_four: "7447" } },
      reservations: ["A1", "B2"],
    };

    expect(told(data, { label: "user", name: "ann_1" })).toEqual([
      "user ann_1 - first name=Ann last name=Li reservations=A1 and B2",
      "payment method card_1 ann_1 source=card last four=7447",
    ]);
  });

  it("is bounded in depth, records and the length of values", () => {
    let deep: unknown = { id: "x", value: 1 };
    for (let depth = 0; depth < 100; depth++) deep = { id: `d${depth}`, inner: [deep] };

    expect(told(deep).length).toBeLessThan(20);
    expect(told(Array.from({ length: 9000 }, (_, id) => ({ id, v: id })))).toHaveLength(400);
    expect(told({ id: 1, note: "word ".repeat(100), two: "a\nb", ok: true })).toEqual([
      "result 1 - ok=true",
    ]);
  });
});
