import { describe, expect, it } from "vitest";

import { dateCloseness } from "./date-closeness.ts";

describe("dateCloseness", () => {
  it("is 1 within the day, the month and the year", () => {
    const instantMs = Date.UTC(2023, 4, 31, 23, 59);
    expect(dateCloseness({ year: 2023, month: 5, day: 31 }, instantMs)).toBe(1);
    expect(dateCloseness({ year: 2023, month: 5 }, instantMs)).toBe(1);
    expect(dateCloseness({ year: 2023 }, instantMs)).toBe(1);
    expect(dateCloseness({ month: 5 }, instantMs)).toBe(1);
  });

  it("fades by the week, before and after", () => {
    const date = { year: 2023, month: 5, day: 10 };
    const before = dateCloseness(date, Date.UTC(2023, 4, 3));
    expect(before).toBeCloseTo(Math.exp(-1), 10);
    expect(dateCloseness(date, Date.UTC(2023, 4, 18))).toBeCloseTo(before, 10);
    expect(dateCloseness(date, Date.UTC(2024, 4, 10))).toBeLessThan(1e-9);
  });

  it("is 0 where there is no instant", () => {
    expect(dateCloseness({ year: 2023 }, Number.NaN)).toBe(0);
    expect(dateCloseness({ month: 5 }, Number.NaN)).toBe(0);
    expect(dateCloseness({ month: 5 }, Infinity)).toBe(0);
  });
});
