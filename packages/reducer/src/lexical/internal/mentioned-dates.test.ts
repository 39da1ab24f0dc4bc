import { describe, expect, it } from "vitest";

import { mentionedDates } from "./mentioned-dates.ts";

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
      expect(mentionedDates(text).dates).toEqual(dates);
    });
  }

  it("leaves the rest of the text", () => {
    expect(mentionedDates("from 8 May 2023 to 2024").rest).toBe("from   to  ");
  });

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
      expect(mentionedDates(text).dates.filter(({ month }) => month !== undefined)).toEqual([]);
    });
  }
});
