import { describe, expect, it } from "vitest";

import type { ReadCall } from "./read-calls.ts";
import { recordLines } from "./record-lines.ts";
import { renderLines } from "./render-lines.ts";

function textOf(data: unknown): string {
  const call: ReadCall = {
    name: "get_order",
    text: '{"order_id":"A1"}',
    args: { order_id: "A1" },
    result: JSON.stringify(data),
    place: 0,
    resultPlace: 1,
  };
  return renderLines(recordLines([call]).map((line) => ({ line, items: line.items })));
}

describe("recordLines", () => {
  it("puts what is part of a thing on its line", () => {
    const flights = [
      { flight_number: "HAT170", date: "2024-05-20", price: 152, origin: "JFK" },
      { flight_number: "HAT022", date: "2024-05-26", price: 79, origin: "SEA" },
    ];

    expect(textOf({ order_id: "A1", cabin: "economy", flights })).toBe(
      "The order A1 has cabin economy, flight HAT170 date 2024-05-20 price 152, flight HAT022 date 2024-05-26 price 79.",
    );
  });

  it("says what a part is called, where it has no id", () => {
    const passengers = [{ first_name: "Mia", last_name: "Li", dob: "1990-04-05" }];

    expect(textOf({ order_id: "A1", cabin: "economy", passengers })).toBe(
      "The order A1 has cabin economy, passenger Mia Li dob 1990-04-05.",
    );
  });
});
