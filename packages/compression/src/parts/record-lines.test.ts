import { describe, expect, it } from "vitest";

import type { ReadCall } from "./read-calls.ts";
import { callLines, recordLines } from "./record-lines.ts";
import { renderLines } from "./render-lines.ts";

function textOf(data: unknown): string {
  const call: ReadCall = {
    name: "get_order",
    text: '{"order_id":"A1"}',
    args: { order_id: "A1" },
    result: JSON.stringify(data),
    index: 0,
    resultIndex: 1,
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

  it("says a time by hours and minutes, where it has no seconds", () => {
    expect(textOf({ order_id: "A1", leaves: "06:00:00", lands: "07:30:15" })).toBe(
      "The order A1 has leaves 06:00, lands 07:30:15.",
    );
  });

  it("says what a part is called, where it has no id", () => {
    const passengers = [{ first_name: "Mia", last_name: "Li", dob: "1990-04-05" }];

    expect(textOf({ order_id: "A1", cabin: "economy", passengers })).toBe(
      "The order A1 has cabin economy, passenger Mia Li dob 1990-04-05.",
    );
  });
});

describe("callLines", () => {
  const told = (name: string, args: object, more: Partial<ReadCall> = {}): string => {
    const call: ReadCall = {
      name,
      text: JSON.stringify(args),
      args,
      result: '{"order_id":"A1","total":152}',
      outcome: "success",
      index: 0,
      resultIndex: 1,
      ...more,
    };
    return renderLines(callLines([call]).map((line) => ({ line, items: line.items })));
  };

  it("leave out what was looked up and found: the record tells of it", () => {
    expect(told("get_order", { order_id: "A1" })).toBe("");
  });

  it("tell what a record does not tell: what was done, what failed, and what else was asked for", () => {
    expect(told("cancel_order", { order_id: "A1" })).toBe(
      "The agent called cancel_order with order id A1.",
    );
    expect(told("get_order", { order_id: "A1" }, { outcome: "error" })).toBe(
      "The agent failed to call get_order with order id A1.",
    );
    expect(told("get_order", { order_id: "A1", city: "Bonn" })).toBe(
      "The agent called get_order with order id A1, city Bonn.",
    );
    expect(told("get_order", { order_id: "A1" }, { result: "It is there." })).toBe(
      "The agent called get_order with order id A1.",
    );
  });
});
