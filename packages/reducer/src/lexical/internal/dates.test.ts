import { describe, expect, it } from "vitest";

import { dateCloseness, mentionedDates } from "./dates.ts";

describe("mentionedDates", () => {
  const known = {
    "8 May, 2023": [{ year: 2023, month: 5, day: 8 }],
    "on the 21st of August 1999": [{ year: 1999, month: 8, day: 21 }],
    "March 16, 2022": [{ year: 2022, month: 3, day: 16 }],
    "Sept. 3rd": [{ month: 9, day: 3 }],
    "3 june": [{ month: 6, day: 3 }],
    "in May 2023": [{ year: 2023, month: 5 }],
    "during April": [{ month: 4 }],
    "last march": [{ month: 3 }],
    "in 2022": [{ year: 2022 }],
    "2023-05-08": [{ year: 2023, month: 5, day: 8 }],
    "2023-05": [{ year: 2023, month: 5 }],
    "2023-05-08T13:56:00Z": [{ year: 2023, month: 5, day: 8 }],
    "2023年5月8日": [{ year: 2023, month: 5, day: 8 }],
    "2023年5月": [{ year: 2023, month: 5 }],
    "between 1 May 2023 and June 2, 2024": [
      { year: 2023, month: 5, day: 1 },
      { year: 2024, month: 6, day: 2 },
    ],
  };

  for (const [text, dates] of Object.entries(known)) {
    it(`reads "${text}"`, () => {
      expect(mentionedDates(text)).toEqual(dates);
    });
  }

  for (const text of [
    "You may march on",
    "May I ask?",
    "decide in a moment",
    "in mayonnaise",
    "2023-13-01",
    "45 May",
    "1234567",
    "12023",
    "version 3.2023.1a2022b",
  ]) {
    it(`finds no month or day in "${text}"`, () => {
      expect(mentionedDates(text).filter(({ month }) => month !== undefined)).toEqual([]);
    });
  }
});

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
